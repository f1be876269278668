import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useCodes, useRoute } from '@tailgate/client-sdk/react';
import { hostLengths } from '@tailgate/sync-protocol';
import { useState } from 'react';
import { Choice } from '../../ui/parts/choice.tsx';
import { focusMissing, Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { Stepper } from '../../ui/parts/stepper.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { overageInput } from '../model/deliver.ts';
import type { OverageDraft } from '../model/draft.ts';
import { isCounted } from '../model/lines.ts';
import { codeNamed } from '../model/reasons.ts';
import { fatesOf, overageAt } from '../model/scan.ts';
import { HostPreview } from '../parts/host-preview.tsx';
import { stepperWords } from '../parts/stepper-words.ts';
import { recorded } from '../recorded.ts';
import { useStopDraft } from '../stop-draft.ts';
import { fateWord } from '../words/sentences.ts';
import { t } from '../words/words.ts';

/** One item outside the plan: how many, what becomes of it, a comment. Zero takes it off the list. */
export function OverageSheet({ stop: id, place }: { readonly stop: number; readonly place: number }) {
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  const [draft] = useStopDraft(id);
  const item = stop && overageAt(stop, draft)[place];
  if (!route || !stop || !item) return null;
  return <OpenOverage key={place} route={route} stop={stop} place={place} item={item} />;
}

interface OpenOverageProps {
  readonly route: LocalRoute;
  readonly stop: LocalStop;
  readonly place: number;
  readonly item: OverageDraft;
}

function OpenOverage({ route, stop, place, item }: OpenOverageProps) {
  const client = useClient();
  const credit = useCodes('credit-reason');
  const [draft, change] = useStopDraft(stop.id);
  const [next, setNext] = useState(item);
  const close = (): void => goBack(links.stop(stop.id));
  const lacksComment =
    codeNamed(credit, next.code)?.requires_comment === true && next.comment.trim() === '' && next.quantity > 0;
  const save = (): void => {
    const items = overageAt(stop, draft).flatMap((each, at) =>
      at !== place ? [each] : next.quantity > 0 ? [next] : [],
    );
    if (isCounted(stop)) {
      const overage_items = items.map(overageInput);
      const receipt = client.stop(stop.id, route.key).update({ updates: { overage_items } });
      recorded({ receipt, stop: stop.id, kind: 'corrected' });
    } else change((before) => ({ ...before, overage: items }));
    close();
  };
  return (
    <Sheet
      title={next.barcode || t('over.noCode')}
      over={t('over.title')}
      closeLabel={t('line.close')}
      onClose={close}
      foot={
        <Gate
          act={next.quantity === 0 ? t('over.remove') : t('over.save', { n: next.quantity })}
          more={lacksComment ? t('except.needsComment') : fateWord(next.code)}
          icon="check"
          todo={lacksComment}
          onAct={lacksComment ? focusMissing : save}
        />
      }
    >
      <Stepper
        label={t('over.pieces')}
        value={next.quantity}
        onChange={(quantity) => setNext({ ...next, quantity })}
        words={stepperWords()}
      />
      <Choice
        legend={t('over.fate')}
        options={fatesOf(credit).map((code) => ({ value: code, label: fateWord(code) }))}
        value={next.code}
        onChoose={(code) => setNext({ ...next, code })}
      />
      <label className="field">
        <span className="lab">
          <span>{t('line.comment')}</span>
          {codeNamed(credit, next.code)?.requires_comment === true && <span className="small">{t('line.asked')}</span>}
        </span>
        <textarea
          className="input"
          rows={2}
          required={lacksComment}
          value={next.comment}
          onInput={(event) => setNext({ ...next, comment: event.currentTarget.value })}
        />
      </label>
      <HostPreview text={next.comment} length={hostLengths.comment} />
    </Sheet>
  );
}
