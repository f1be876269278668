import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useCodes, useRoute } from '@tailgate/client-sdk/react';
import { useRef, useState } from 'react';
import { focusMissing, Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { Stepper } from '../../ui/parts/stepper.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { correctionOf, furtherReasons, recordedReason } from '../model/deliver.ts';
import type { LineDraft, ReasonDraft } from '../model/draft.ts';
import { withLine } from '../model/draft.ts';
import type { Product } from '../model/lines.ts';
import { isCounted, lineNow, recordedReasons, sum } from '../model/lines.ts';
import { codeNamed, kindsOf } from '../model/reasons.ts';
import { placeWord, reasonsLine } from '../words/sentences.ts';
import { Photos, ShutterField, usePhotoSession, usePhotoStore } from '../parts/photos.tsx';
import type { MoreCounts } from '../parts/line-counts.tsx';
import { LineCounts } from '../parts/line-counts.tsx';
import { stepperWords } from '../parts/stepper-words.ts';
import { Why } from '../parts/why.tsx';
import { record } from '../recorded.ts';
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

function OpenLine({ route, stop, line }: OpenLineProps) {
  const client = useClient();
  const credit = useCodes('credit-reason');
  const [draft, change] = useStopDraft(stop.id);
  const isCorrection = isCounted(stop);
  const now = lineNow(stop, line, draft);
  // A line to scan opens with its planned count: who counts by hand has the pieces.
  const [delivered, setDelivered] = useState(now.toScan > 0 && !now.draft?.scanned ? line.quantity : now.delivered);
  const [reason, setReason] = useState<ReasonDraft>(now.draft?.reason ?? recordedReason(line));
  const [photos, setPhotos] = useState<readonly string[]>(now.draft?.photos ?? line.updates.image_ids ?? []);
  const [isStoring, setStoring] = useState(false);
  const session = usePhotoSession();
  const before = useRef(now.draft);
  const isKept = useRef(false);
  const [counts, setCounts] = useState<MoreCounts>({});
  const less = line.quantity - delivered;
  // A correction may leave the reason open: the office sees who counted again.
  const isUnexplained = !isCorrection && less > 0 && reason.code === '' && kindsOf(credit).length > 0;

  // A correction keeps the reasons that it does not show.
  const further = isCorrection ? recordedReasons(furtherReasons(line, delivered)) : [];
  const reasons = [{ code: reason.code, quantity: less - sum(further, ({ quantity }) => quantity) }, ...further];
  const code = less > 0 ? codeNamed(credit, reason.code) : undefined;
  const lacksPhoto = code?.requires_photo === true && reason.photos.length === 0;
  // A correction under the recorded reason: the driver has decided on its photo before.
  const asksPhoto = lacksPhoto && !(isCorrection && reason.code === recordedReason(line).code);
  const lacksComment = code?.requires_comment === true && reason.comment.trim() === '';
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
  // The camera, or the system, may end this page at any moment: the phone keeps each entry.
  const keep = (values = entered): void => {
    if (isCorrection) return;
    isKept.current = true;
    change((current) => withLine(current, line.key, lineOf(values)));
  };
  const countPieces = (next: number): void => {
    setDelivered(next);
    keep({ ...entered, delivered: next });
  };
  const explain = (next: ReasonDraft): void => {
    setReason(next);
    keep({ ...entered, reason: next });
  };
  const count = (next: MoreCounts): void => {
    setCounts(next);
    keep({ ...entered, counts: next });
  };
  const picture = (next: readonly string[]): void => {
    setPhotos(next);
    keep({ ...entered, photos: next });
  };
  const save = (values = entered): void => {
    const changed = withLine(draft, line.key, lineOf(values));
    if (isCorrection) {
      const correct = () => client.stop(stop.id, route.key).update(correctionOf(stop, line, changed));
      if (!record({ stop: stop.id, kind: 'corrected' }, correct)) return;
    } else change(() => changed);
    session.end([...(less > 0 ? values.reason.photos : []), ...photos], isCorrection);
    goBack(links.stop(stop.id));
  };
  const shared = {
    session,
    name: `photo-${route.id}-${stop.id}-${line.id}`,
    onShutter: () => keep(),
    onBusy: setStoring,
  };
  const camera = usePhotoStore(shared);
  // The driver may change something while the photo is stored.
  const latest = useRef({ entered, save });
  latest.current = { entered, save };
  const saveWith = (photo: string): void => {
    const { entered: values, save: saveAll } = latest.current;
    saveAll({ ...values, reason: { ...values.reason, photos: [...values.reason.photos, photo] } });
  };

  const amount = { a: delivered, b: line.quantity };
  const saveWords =
    less === 0
      ? t(isCorrection ? 'line.correctAll' : 'line.saveAll', { n: delivered })
      : t(isCorrection ? 'line.correct' : 'line.save', amount);
  const note = lacksPhoto ? t('photo.missing') : lacksComment ? t('except.needsComment') : undefined;
  return (
    <Sheet
      title={line.name}
      below={[line.id, placeWord(line.trailer_area), line.invoice && t('line.invoice', { id: line.invoice })]
        .filter(Boolean)
        .join(' · ')}
      closeLabel={t('line.close')}
      onClose={close}
      foot={
        isUnexplained ? (
          <Gate todo act={t('line.chooseWhy')} icon="check" onAct={focusMissing} />
        ) : (
          <Gate
            act={asksPhoto ? t('photo.first') : saveWords}
            more={
              asksPhoto
                ? t(isCorrection ? 'photo.corrects' : 'photo.saves', amount)
                : code && reasonsLine(reasons, credit)
            }
            icon={asksPhoto ? 'cam' : 'check'}
            note={camera.isStoring ? t('photo.storing') : camera.fault || note}
            noteIcon={asksPhoto ? 'cam' : 'warn'}
            busy={isStoring}
            input={
              asksPhoto && !isStoring ? (
                <ShutterField onShutter={() => keep()} onPhoto={(photo) => void camera.store(photo, saveWith)} />
              ) : undefined
            }
            onAct={() => save()}
            under={
              asksPhoto && (
                <button className="btn btn-wide" type="button" onClick={() => save()}>
                  {t(isCorrection ? 'photo.correctWithout' : 'photo.saveWithout', amount)}
                </button>
              )
            }
          />
        )
      }
    >
      <Stepper label={t('line.label')} value={delivered} onChange={countPieces} words={stepperWords()}>
        {t('line.of', { n: line.quantity })}
        {less !== 0 && (
          <>
            {' · '}
            <b className="badword">{less > 0 ? t('count.less', { n: less }) : t('count.more', { n: -less })}</b>
          </>
        )}
      </Stepper>
      {less > 0 && <Why less={less} credit={credit} reason={reason} onChange={explain} photos={shared} />}
      {less <= 0 && (line.add_photos || photos.length > 0) && (
        <Photos legend={t('photo.legend')} photos={photos} onChange={picture} {...shared} />
      )}
      <LineCounts line={line} draft={now.draft} counts={counts} onChange={count} />
    </Sheet>
  );
}
