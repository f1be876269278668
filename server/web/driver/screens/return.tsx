import { useClient, useRoute } from '@tailgate/client-sdk/react';
import { useRef, useState } from 'react';
import { Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { Stepper } from '../../ui/parts/stepper.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { returnCorrectionOf } from '../model/deliver.ts';
import type { ReturnDraft } from '../model/draft.ts';
import { withReturn } from '../model/draft.ts';
import { isCounted, returnedNow } from '../model/lines.ts';
import { Photos, usePhotoSession } from '../parts/photos.tsx';
import { stepperWords } from '../parts/stepper-words.ts';
import { record } from '../recorded.ts';
import { useStopDraft } from '../stop-draft.ts';
import { t } from '../words/words.ts';

/** Something to take back: empty totes, pallets, returned goods. */
export function ReturnSheet({ stop: id, line: key }: { readonly stop: number; readonly line: string }) {
  const client = useClient();
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  const line = stop?.collections.find((each) => each.key === key);
  const [draft, change] = useStopDraft(id);
  const known = line && (draft.returns[key] !== undefined || line.updates.returned > 0);
  // The planned count is the likely one.
  const [returned, setReturned] = useState(line ? (known ? returnedNow(line, draft) : line.quantity) : 0);
  const recordedPhotos = line?.updates.image_ids ?? [];
  const [photos, setPhotos] = useState<readonly string[]>(draft.returns[key]?.photos ?? recordedPhotos);
  const [isStoring, setStoring] = useState(false);
  const session = usePhotoSession();
  const before = useRef(draft.returns[key]);
  const isKept = useRef(false);
  if (!route || !stop || !line) return null;
  const isCorrection = isCounted(stop);
  const takesPhotos = line.add_photos || photos.length > 0;
  const next = (taken: readonly string[], count = returned): ReturnDraft => ({
    returned: count,
    ...(takesPhotos && { photos: taken }),
  });
  // The camera, or the system, may end this page at any moment: the phone keeps each entry.
  const keep = (taken = photos, count = returned): void => {
    if (isCorrection) return;
    isKept.current = true;
    change((all) => withReturn(all, key, next(taken, count)));
  };
  const close = (): void => {
    if (isKept.current) change((all) => withReturn(all, key, before.current));
    session.end(before.current?.photos ?? recordedPhotos);
    goBack(links.stop(id));
  };
  const save = (): void => {
    if (isCorrection) {
      const correct = () => client.stop(id, route.key).update(returnCorrectionOf(stop, line, next(photos)));
      if (!record({ stop: id, kind: 'corrected' }, correct)) return;
    } else keep();
    session.end(photos, isCorrection);
    goBack(links.stop(id));
  };
  return (
    <Sheet
      title={line.name}
      below={[line.id, line.container_type.toLowerCase()].filter(Boolean).join(' · ')}
      closeLabel={t('line.close')}
      onClose={close}
      foot={
        <Gate
          act={t(isCorrection ? 'return.correct' : 'return.save', { n: returned })}
          more={photos.length > 0 ? t('photos.count', { n: photos.length }) : undefined}
          icon="check"
          busy={isStoring}
          onAct={save}
        />
      }
    >
      <Stepper
        label={t('return.label')}
        value={returned}
        onChange={(count) => {
          setReturned(count);
          keep(photos, count);
        }}
        words={stepperWords()}
      >
        {t('line.of', { n: line.quantity })}
      </Stepper>
      {takesPhotos && (
        <Photos
          legend={t('photo.legend')}
          photos={photos}
          onChange={(taken) => {
            setPhotos(taken);
            keep(taken);
          }}
          onShutter={() => keep()}
          session={session}
          name={`photo-${route.id}-${id}-${line.id}`}
          onBusy={setStoring}
        />
      )}
    </Sheet>
  );
}
