import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useCodes, useRoute } from '@tailgate/client-sdk/react';
import type { ReferenceCode } from '@tailgate/sync-protocol';
import { hostLengths } from '@tailgate/sync-protocol';
import { useRef, useState } from 'react';
import { Choice } from '../../ui/parts/choice.tsx';
import { focusMissing, Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { Stepper } from '../../ui/parts/stepper.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { correctionOf } from '../model/deliver.ts';
import type { LineDraft, ReasonDraft } from '../model/draft.ts';
import { withLine } from '../model/draft.ts';
import type { Product } from '../model/lines.ts';
import { isCounted, lineNow } from '../model/lines.ts';
import { codeNamed, kindsOf } from '../model/reasons.ts';
import { kindWord, placeWord } from '../words/sentences.ts';
import { HostPreview } from '../parts/host-preview.tsx';
import type { PhotosProps } from '../parts/photos.tsx';
import { Photos, usePhotoSession } from '../parts/photos.tsx';
import type { MoreCounts } from '../parts/line-counts.tsx';
import { LineCounts } from '../parts/line-counts.tsx';
import { stepperWords } from '../parts/stepper-words.ts';
import { recorded } from '../recorded.ts';
import { useStopDraft } from '../stop-draft.ts';
import { t } from '../words/words.ts';

/** One line of a stop: the count, and why it differs. On a delivered stop it records a correction. */
export function LineSheet({ stop: id, line: key }: { readonly stop: number; readonly line: string }) {
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  const line = stop?.products.find((each) => each.key === key);
  if (!route || !stop || !line) return null;
  return <OpenLine key={key} route={route} stop={stop} line={line} />;
}

interface OpenLineProps {
  readonly route: LocalRoute;
  readonly stop: LocalStop;
  readonly line: Product;
}

const noReason: ReasonDraft = { code: '', comment: '', photos: [] };

function OpenLine({ route, stop, line }: OpenLineProps) {
  const client = useClient();
  const credit = useCodes('credit-reason');
  const [draft, change] = useStopDraft(stop.id);
  const isCorrection = isCounted(stop);
  const now = lineNow(stop, line, draft);
  // A line to scan opens with its planned count: who counts by hand has the pieces.
  const [delivered, setDelivered] = useState(now.toScan > 0 && !now.draft?.scanned ? line.quantity : now.delivered);
  const [reason, setReason] = useState<ReasonDraft>(now.draft?.reason ?? storedReason(line));
  const [photos, setPhotos] = useState<readonly string[]>(now.draft?.photos ?? line.updates.image_ids ?? []);
  const [isStoring, setStoring] = useState(false);
  const session = usePhotoSession();
  const before = useRef(now.draft);
  const isKept = useRef(false);
  const [counts, setCounts] = useState<MoreCounts>({});
  const less = line.quantity - delivered;
  // A correction may leave the reason open: the office sees who counted again.
  const isUnexplained = !isCorrection && less > 0 && reason.code === '' && kindsOf(credit).length > 0;

  const lacksPhoto = less > 0 && codeNamed(credit, reason.code)?.requires_photo === true && reason.photos.length === 0;
  const close = (): void => {
    if (isKept.current) change((current) => withLine(current, line.key, before.current));
    session.end([...(before.current?.reason?.photos ?? []), ...(before.current?.photos ?? [])]);
    goBack(links.stop(stop.id));
  };
  const entered = { delivered, counts, reason, photos };
  const lineOf = (values: typeof entered): LineDraft => {
    const { reason: _, ...rest } = now.draft ?? {};
    return {
      ...rest,
      ...values.counts,
      delivered: values.delivered,
      ...(values.delivered < line.quantity && { reason: values.reason }),
      ...((values.photos.length > 0 || rest.photos) && { photos: values.photos }),
    };
  };
  // The camera may end this page: from the first photo on, the phone keeps what is entered.
  const keep = (values = entered): void => {
    if (isCorrection) return;
    isKept.current = true;
    change((current) => withLine(current, line.key, lineOf(values)));
  };
  const explain = (next: ReasonDraft): void => {
    setReason(next);
    if (isKept.current) keep({ ...entered, reason: next });
  };
  const count = (next: MoreCounts): void => {
    setCounts(next);
    if (isKept.current) keep({ ...entered, counts: next });
  };
  const picture = (next: readonly string[]): void => {
    setPhotos(next);
    if (isKept.current) keep({ ...entered, photos: next });
  };
  const save = (): void => {
    const changed = withLine(draft, line.key, lineOf(entered));
    if (isCorrection) {
      const receipt = client.stop(stop.id, route.key).update(correctionOf(stop, line, changed));
      recorded({ receipt, stop: stop.id, kind: 'corrected' });
    } else change(() => changed);
    session.end([...(less > 0 ? reason.photos : []), ...photos]);
    goBack(links.stop(stop.id));
  };
  const shared = {
    session,
    name: `photo-${route.id}-${stop.id}-${line.id}`,
    onShutter: () => keep(),
    onBusy: setStoring,
  };

  const described = codeNamed(credit, reason.code)?.description.toLowerCase();
  return (
    <Sheet
      title={line.name}
      below={[line.id, placeWord(line.trailer_area), line.invoice && t('line.invoice', { id: line.invoice })]
        .filter(Boolean)
        .join(' · ')}
      closeLabel={t('line.close')}
      onClose={close}
      foot={
        <Gate
          act={
            isUnexplained
              ? t('line.chooseWhy')
              : less === 0
                ? t(isCorrection ? 'line.correctAll' : 'line.saveAll', { n: delivered })
                : t(isCorrection ? 'line.correct' : 'line.save', { a: delivered, b: line.quantity })
          }
          more={less > 0 && described !== undefined ? `${less} ${described}` : undefined}
          icon="check"
          note={lacksPhoto ? t('photo.missing') : undefined}
          noteIcon="cam"
          todo={isUnexplained}
          busy={isStoring}
          onAct={isUnexplained ? focusMissing : save}
        />
      }
    >
      <Stepper label={t('line.label')} value={delivered} onChange={setDelivered} words={stepperWords()}>
        {t('line.of', { n: line.quantity })}
        {less !== 0 && (
          <>
            {' · '}
            <b className="badword">{less > 0 ? t('count.less', { n: less }) : t('count.more', { n: -less })}</b>
          </>
        )}
      </Stepper>
      <LineCounts line={line} draft={now.draft} counts={counts} onChange={count} />
      {less > 0 && <Why less={less} credit={credit} reason={reason} onChange={explain} photos={shared} />}
      {less <= 0 && (line.add_photos || photos.length > 0) && (
        <Photos legend={t('photo.legend')} photos={photos} onChange={picture} {...shared} />
      )}
    </Sheet>
  );
}

interface WhyProps {
  readonly less: number;
  readonly credit: readonly ReferenceCode[];
  readonly reason: ReasonDraft;
  readonly onChange: (reason: ReasonDraft) => void;
  readonly photos: Pick<PhotosProps, 'session' | 'name' | 'onShutter' | 'onBusy'>;
}

/** The kind, then the exact reason, then what this reason asks for. */
function Why({ less, credit, reason, onChange, photos }: WhyProps) {
  const kinds = kindsOf(credit);
  const code = codeNamed(credit, reason.code);
  const kind = kinds.find(({ category }) => category === code?.category);
  if (kinds.length === 0) return <p className="banner">{t('line.noReasons')}</p>;
  return (
    <>
      <Choice
        legend={t('line.why', { n: less })}
        look="three"
        options={kinds.map(({ category }) => ({ value: category, label: kindWord(category) }))}
        value={kind?.category}
        onChoose={(category) => {
          const first = kinds.find((each) => each.category === category)?.codes[0];
          if (first) onChange({ ...reason, code: first.code });
        }}
      />
      {kind && kind.codes.length > 1 && (
        <Choice
          legend={t('line.reason')}
          hideLegend
          options={kind.codes.map((each) => ({ value: each.code, label: each.description }))}
          value={code?.code}
          onChoose={(chosen) => onChange({ ...reason, code: chosen })}
        />
      )}
      {code && (
        <Photos
          legend={t('photo.legend')}
          isAsked={code.requires_photo}
          photos={reason.photos}
          onChange={(taken) => onChange({ ...reason, photos: taken })}
          {...photos}
        />
      )}
      {code && (
        <label className="field">
          <span className="lab">
            <span>{t('line.comment')}</span>
            {code.requires_comment && <span className="small">{t('line.asked')}</span>}
          </span>
          <textarea
            className="input"
            required={code.requires_comment}
            rows={1}
            value={reason.comment}
            onInput={(event) => onChange({ ...reason, comment: event.currentTarget.value })}
          />
        </label>
      )}
      {code && <HostPreview text={reason.comment} length={hostLengths.comment} />}
    </>
  );
}

/** The recorded reason of a line, to start a correction from. */
function storedReason(line: Product): ReasonDraft {
  const [first] = line.updates.osd_data;
  if (!first) return noReason;
  return {
    code: first.osd_code,
    comment: first.data[0]?.comment ?? '',
    photos: first.data.flatMap(({ images_id }) => images_id ?? []),
  };
}
