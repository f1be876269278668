import type { Client, LocalRoute, LocalStop, RouteKey } from '@tailgate/client-sdk';
import { useClient, useRoute } from '@tailgate/client-sdk/react';
import { useState } from 'react';
import { Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { draftOf } from '../model/draft.ts';
import { isPending } from '../model/order.ts';
import type { PartPhotos } from '../model/stop-photos.ts';
import { partPhotos, photosInput, wholePhotos } from '../model/stop-photos.ts';
import { Photos, Thumbnail, usePhotoSession } from '../parts/photos.tsx';
import { record, recordedLate } from '../recorded.ts';
import { useStopDraft } from '../stop-draft.ts';
import { t } from '../words/words.ts';

/** All photos of a stop: those of the whole stop to take and to delete, those of its lines to look at. */
export function StopPhotosSheet({ stop: id }: { readonly stop: number }) {
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  return route && stop ? <OpenPhotos route={route} stop={stop} /> : null;
}

function OpenPhotos({ route, stop }: { readonly route: LocalRoute; readonly stop: LocalStop }) {
  const client = useClient();
  const [draft, change] = useStopDraft(stop.id);
  const session = usePhotoSession();
  const [isStoring, setStoring] = useState(false);
  const isOpen = isPending(stop);
  const kept = wholePhotos(stop, draft);
  // A correction is one change, recorded by the gate; the draft of an open stop has each photo at once.
  const [corrected, setCorrected] = useState<readonly string[]>();
  const photos = corrected ?? kept;
  const isChanged = corrected !== undefined;
  const set = (next: readonly string[]): void => {
    if (isOpen) change((before) => ({ ...before, photos: next }));
    else setCorrected(next);
  };
  const close = (): void => {
    session.end(kept);
    goBack(links.stop(stop.id));
  };
  const save = (): void => {
    if (isChanged) {
      const correct = () => client.stop(stop.id, route.key).update(photosInput(stop, photos));
      if (!record({ stop: stop.id, kind: 'corrected' }, correct)) return;
    }
    session.end(photos, isChanged);
    goBack(links.stop(stop.id));
  };
  const parts = partPhotos(stop, draft);
  return (
    <Sheet
      title={t('photos.title', { n: stop.id })}
      over={stop.customer.name}
      below={isOpen ? t('photos.kept') : undefined}
      closeLabel={isChanged || (isStoring && !isOpen) ? t('line.close') : t('app.close')}
      onClose={close}
      foot={
        <Gate
          act={
            (isOpen && photos.length > 0) || isChanged
              ? t('photos.keep', { n: photos.length })
              : t('scan.toStop', { n: stop.id })
          }
          icon="check"
          busy={isStoring && !isOpen}
          onAct={save}
        />
      }
    >
      <Photos
        legend={t('photos.whole')}
        photos={photos}
        onChange={set}
        session={session}
        name={`photo-${route.id}-${stop.id}`}
        onBusy={setStoring}
        late={isOpen ? { stop: stop.id, keep: (photo) => keepLate(client, route.key, stop.id, photo) } : undefined}
      />
      {parts.length > 0 && (
        <section aria-labelledby="line-photos">
          <h2 className="lab" id="line-photos">
            {t('photos.lines')}
          </h2>
          <ul className="photos">
            {parts.flatMap((part) =>
              part.photos.map((id) => (
                <li key={id} className="photo">
                  <a href={addressOf(stop, part)}>
                    <Thumbnail id={id} label={t('photos.one', { name: nameOf(part) })} />
                    <span className="cap">{nameOf(part)}</span>
                  </a>
                </li>
              )),
            )}
          </ul>
        </section>
      )}
    </Sheet>
  );
}

/** Adds a photo that was stored after its sheet was closed: to the draft, or as a change where the stop is recorded. */
async function keepLate(client: Client, key: RouteKey, id: number, photo: string): Promise<void> {
  const handle = client.stop(id, key);
  const stop = handle.current;
  if (!stop) return;
  const draft = draftOf(stop.draft);
  const photos = [...new Set([...wholePhotos(stop, draft), photo])];
  if (isPending(stop)) await handle.draft.set({ ...draft, photos });
  else recordedLate(id, handle.update(photosInput(stop, photos)), photo);
}

const nameOf = ({ name }: PartPhotos): string => name || t('photos.overage');

function addressOf({ id }: LocalStop, { part, key }: PartPhotos): string {
  if (part === 'overage') return links.overage(id, Number(key));
  return part === 'line' ? links.line(id, key) : links.returns(id, key);
}
