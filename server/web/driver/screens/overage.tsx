import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useCodes, useRoute } from '@tailgate/client-sdk/react';
import { hostLengths } from '@tailgate/sync-protocol';
import { useRef, useState } from 'react';
import { Choice } from '../../ui/parts/choice.tsx';
import { focusMissing, Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { Stepper } from '../../ui/parts/stepper.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { overageInput } from '../model/deliver.ts';
import type { OverageDraft } from '../model/draft.ts';
import { longestComment } from '../model/draft.ts';
import { isCounted } from '../model/lines.ts';
import { codeNamed } from '../model/reasons.ts';
import { fatesOf, overageAt } from '../model/scan.ts';
import { overageLacks } from '../model/missing.ts';
import { HostPreview } from '../parts/host-preview.tsx';
import { Photos, usePhotoSession } from '../parts/photos.tsx';
import { stepperWords } from '../parts/stepper-words.ts';
import { record } from '../recorded.ts';
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
  const [isStoring, setStoring] = useState(false);
  const session = usePhotoSession();
  const before = useRef(item);
  const isKept = useRef(false);
  const reason = codeNamed(credit, next.code);
  const lacks = next.quantity > 0 ? overageLacks([next], credit).map(({ asks }) => asks) : [];
  const lacksComment = lacks.includes('comment');
  const put = (items: readonly OverageDraft[]): void => change((current) => ({ ...current, overage: items }));
  const itemsWith = (changed: OverageDraft): OverageDraft[] =>
    overageAt(stop, draft).flatMap((each, at) => (at !== place ? [each] : changed.quantity > 0 ? [changed] : []));
  // The camera, or the system, may end this page at any moment: the phone keeps each entry. Zero would end this sheet.
  const keep = (changed: OverageDraft): void => {
    if (isCounted(stop) || changed.quantity === 0) return;
    isKept.current = true;
    put(itemsWith(changed));
  };
  const enter = (part: Partial<OverageDraft>): void => {
    setNext({ ...next, ...part });
    keep({ ...next, ...part });
  };
  const leave = (kept: OverageDraft, isRecorded = false): void => {
    session.end(kept.photos, isRecorded);
    goBack(links.stop(stop.id));
  };
  const close = (): void => {
    if (isKept.current) put(itemsWith(before.current));
    leave(before.current);
  };
  const save = (): void => {
    const items = itemsWith(next);
    if (isCounted(stop)) {
      const overage_items = items.map(overageInput);
      const correct = () => client.stop(stop.id, route.key).update({ updates: { overage_items } });
      if (!record({ stop: stop.id, kind: 'corrected' }, correct)) return;
    } else put(items);
    leave(next, isCounted(stop));
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
          note={lacks.includes('photo') ? t('photo.missing') : undefined}
          noteIcon="cam"
          busy={isStoring}
          icon="check"
          todo={lacksComment}
          onAct={lacksComment ? focusMissing : save}
        />
      }
    >
      <Stepper
        label={t('over.pieces')}
        value={next.quantity}
        onChange={(quantity) => enter({ quantity })}
        words={stepperWords()}
      />
      <Choice
        legend={t('over.fate')}
        options={fatesOf(credit).map((code) => ({ value: code, label: fateWord(code) }))}
        value={next.code}
        onChoose={(code) => enter({ code })}
      />
      <Photos
        legend={t('photo.legend')}
        isAsked={reason?.requires_photo === true}
        max={1}
        photos={next.photos}
        onChange={(photos) => enter({ photos })}
        onShutter={() => keep(next)}
        session={session}
        name={`photo-${route.id}-${stop.id}-over`}
        onBusy={setStoring}
      />
      <label className="field">
        <span className="lab">
          <span>{t('line.comment')}</span>
          {reason?.requires_comment === true && <span className="small">{t('line.asked')}</span>}
        </span>
        <textarea
          className="input"
          maxLength={longestComment}
          rows={2}
          required={lacksComment}
          value={next.comment}
          onInput={(event) => enter({ comment: event.currentTarget.value })}
        />
      </label>
      <HostPreview text={next.comment} length={hostLengths.comment} />
    </Sheet>
  );
}
