import type { LocalRoute } from '@tailgate/client-sdk';
import { useClient, useRoute } from '@tailgate/client-sdk/react';
import { hostLengths } from '@tailgate/sync-protocol';
import { useState } from 'react';
import { Field } from '../../ui/parts/field.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import type { ReportKind, SectionKey } from '../model/load-report.ts';
import { reportsOf, storedReports, withSection } from '../model/load-report.ts';
import { HostPreview } from '../parts/host-preview.tsx';
import { sectionTitle } from '../parts/load-form.tsx';
import { Photos, usePhotoSession } from '../parts/photos.tsx';
import { useReports } from '../report-draft.ts';
import { useSaveReport } from '../save-report.ts';
import { faultSentence } from '../words/faults.ts';
import { loadWord } from '../words/load-words.ts';
import { t } from '../words/words.ts';

interface SectionSheetProps {
  readonly kind: ReportKind;
  readonly section: SectionKey;
}

/** Why a section is rated as it is: words and a photo. Every keystroke is kept. */
export function LoadSectionSheet({ kind, section: key }: SectionSheetProps) {
  const route = useRoute();
  return route ? <OpenSection route={route} kind={kind} section={key} /> : null;
}

function OpenSection({ route, kind, section: key }: SectionSheetProps & { readonly route: LocalRoute }) {
  const client = useClient();
  const [reports, change] = useReports();
  const [isStoring, setStoring] = useState(false);
  const { faults } = useSaveReport(route, kind);
  const { rating, reason, comment, photo } = reports[kind].sections[key];
  const session = usePhotoSession();
  const close = (): void => {
    session.end(photo === null ? [] : [photo], reports[kind].receipt !== null);
    goBack(kind === 'leave' ? links.load : links.close);
  };
  /** Keeps a photo that was stored after this sheet was closed. */
  const keepLate = async (taken: string): Promise<void> => {
    const draft = client.routeDraft(route.key);
    const now = reportsOf(draft.current);
    const { sections, receipt } = now[kind];
    const former = sections[key].photo;
    if (former !== null) session.note(former);
    await draft.set(storedReports(withSection(now, kind, key, { photo: taken })));
    session.end([taken], receipt !== null);
  };
  const at = (field: string): string | undefined => faultSentence(faults.get(`${key}.${field}`));
  const commentFault = at('comment');
  return (
    <Sheet
      title={sectionTitle(key)}
      below={loadWord('load.rated', { n: rating })}
      closeLabel={t('app.close')}
      onClose={close}
      foot={<Gate act={loadWord('load.keep')} icon="check" busy={isStoring} onAct={close} />}
    >
      <Field
        label={loadWord('load.reason')}
        value={reason}
        error={at('reason')}
        onInput={(event) => {
          const { value } = event.currentTarget;
          change((before) => withSection(before, kind, key, { reason: value }));
        }}
      />
      <HostPreview text={reason} length={reasonLength} />
      <label className="field">
        <span className="lab">{t('line.comment')}</span>
        <textarea
          className={commentFault === undefined ? 'input' : 'input wrong'}
          rows={2}
          aria-invalid={commentFault !== undefined}
          value={comment}
          onInput={(event) => {
            const { value } = event.currentTarget;
            change((before) => withSection(before, kind, key, { comment: value }));
          }}
        />
        {commentFault !== undefined && (
          <span className="hint badword" role="alert">
            {commentFault}
          </span>
        )}
      </label>
      <HostPreview text={comment} length={hostLengths.comment} />
      <Photos
        legend={loadWord('load.photo')}
        max={1}
        photos={photo === null ? [] : [photo]}
        onChange={(photos) => change((before) => withSection(before, kind, key, { photo: photos.at(-1) ?? null }))}
        session={session}
        name={`load-${route.id}-${key}`}
        onBusy={setStoring}
        late={{ keep: keepLate }}
      />
    </Sheet>
  );
}

/** The host's field for a reason, in characters. */
const reasonLength = 100;
