import { useClient } from '@tailgate/client-sdk/react';
import type { ReactNode } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { discardPhotos, drawThumbnail, storePhoto } from '../photo-store.ts';
import { lostPhoto, whileSaving } from '../saving.ts';
import { useServices } from '../services.ts';
import { storingFault } from '../words/faults.ts';
import { t } from '../words/words.ts';

/** The photos that a sheet has added or removed while it was open. */
export interface PhotoSession {
  readonly note: (id: string) => void;
  /**
   * Ends the session: the photos that it does not keep leave the phone.
   *
   * @param isRecorded a change is recorded: what it replaces may return by an undo, and earlier changes in the queue name
   * it, so photos from before the session stay, and are sent
   */
  readonly end: (kept: readonly string[], isRecorded?: boolean) => void;
}

export function usePhotoSession(): PhotoSession {
  const client = useClient();
  const { uploads } = useServices();
  const touched = useRef(new Set<string>());
  const [opened] = useState(() => client.route().current);
  return {
    note: (id) => void touched.current.add(id),
    end: (kept, isRecorded = false) => {
      const rest = [...touched.current].filter((id) => !kept.includes(id));
      touched.current.clear();
      void discardPhotos(uploads, rest, isRecorded ? [opened, client.route().current] : [client.route().current]);
    },
  };
}

interface CameraProps {
  readonly session: PhotoSession;
  /** The file name without its ending, such as `photo-R100-6`. */
  readonly name: string;
  /** Called with whether a photo is being stored. */
  readonly onBusy?: (isBusy: boolean) => void;
  /** Takes a photo that was still being stored when the screen closed. Without it the photo leaves the phone. */
  readonly late?: { readonly stop?: number; readonly keep: (id: string) => Promise<void> } | undefined;
}

/** Stores the photos that the phone's camera returns, while the screen is open. */
export function usePhotoStore({ session, name, onBusy, late }: CameraProps) {
  const { uploads } = useServices();
  const [storing, setStoring] = useState(0);
  const [fault, setFault] = useState('');
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  useEffect(() => onBusy?.(storing > 0), [storing > 0]);
  /** Calls `keep` with the id of the stored photo. */
  const store = async (photo: File, keep: (id: string) => void): Promise<void> => {
    setStoring((count) => count + 1);
    setFault('');
    if (late && lostPhoto.current?.stop === late.stop) lostPhoto.set(undefined);
    try {
      await whileSaving({ stop: late?.stop }, async () => {
        const taken = await storePhoto(uploads, photo, `${name}.jpg`);
        session.note(taken);
        if (isOpen.current) keep(taken);
        else if (late) await late.keep(taken);
        else session.end([]);
      });
    } catch (error) {
      const why = storingFault('photo', error);
      setFault(why);
      // The driver may have left the sheet, or leave it before reading.
      if (late) lostPhoto.set({ stop: late.stop, why });
    } finally {
      setStoring((count) => count - 1);
    }
  };
  return { store, isStoring: storing > 0, fault };
}

export interface PhotosProps extends CameraProps {
  readonly legend: string;
  /** Whether the reason asks for one. */
  readonly isAsked?: boolean;
  /** Ids of files. */
  readonly photos: readonly string[];
  /** The interface takes no more. */
  readonly max?: number;
  readonly onChange: (photos: readonly string[]) => void;
  /** Called before the camera opens: a phone may end the page meanwhile. */
  readonly onShutter?: () => void;
}

/** Photos: take, take again, delete, each with one tap. All of it works without a network. */
export function Photos({ legend, isAsked = false, photos, max = Infinity, onChange, ...camera }: PhotosProps) {
  const { store, isStoring, fault } = usePhotoStore(camera);
  const [deleted, setDeleted] = useState<{ readonly id: string; readonly place: number }>();
  const latest = useRef({ photos, onChange });
  latest.current = { photos, onChange };
  const id = useId();
  const { session, onShutter } = camera;

  const set = (change: (before: readonly string[]) => readonly string[]): void =>
    latest.current.onChange([...new Set(change(latest.current.photos))]);
  const take = (photo: File, instead?: string): Promise<void> =>
    store(photo, (taken) => {
      if (instead !== undefined) session.note(instead);
      setDeleted(undefined);
      set((before) =>
        instead === undefined ? [...before, taken] : before.map((each) => (each === instead ? taken : each)),
      );
    });
  const remove = (photo: string): void => {
    session.note(photo);
    setDeleted({ id: photo, place: photos.indexOf(photo) });
    set((before) => before.filter((each) => each !== photo));
  };

  return (
    <div role="group" aria-labelledby={id}>
      <p className="lab" id={id}>
        <span>{legend}</span>
        {isAsked && <span className="small">{t('line.asked')}</span>}
      </p>
      <div className="photos">
        {/* First, so that it stays under the thumb while photos are added. */}
        {photos.length < max && (
          <Shutter className="btn photo-add" onShutter={onShutter} onPhoto={(file) => void take(file)}>
            <Icon name="cam" />
            {t(photos.length === 0 ? 'photo.take' : 'photo.more')}
          </Shutter>
        )}
        {photos.map((photo, place) => (
          <div key={photo} className="photo">
            <Thumbnail id={photo} label={t('photo.number', { n: place + 1 })} />
            <div className="photo-acts">
              <Shutter
                className="btn btn-icon"
                label={t('photo.again', { n: place + 1 })}
                onShutter={onShutter}
                onPhoto={(file) => void take(file, photo)}
              >
                <Icon name="cam" />
              </Shutter>
              <button
                className="btn btn-icon"
                type="button"
                aria-label={t('photo.delete', { n: place + 1 })}
                onClick={() => remove(photo)}
              >
                <Icon name="x" />
              </button>
            </div>
          </div>
        ))}
        {deleted && (
          <button
            className="btn photo-add"
            type="button"
            onClick={() => {
              set((before) => before.toSpliced(deleted.place, 0, deleted.id));
              setDeleted(undefined);
            }}
          >
            <Icon name="undo" />
            {t('photo.restore')}
          </button>
        )}
      </div>
      <p className="small" role="status">
        {isStoring ? t('photo.storing') : ''}
      </p>
      {fault !== '' && (
        <p className="small badword" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

interface ShutterFieldProps {
  readonly onShutter?: (() => void) | undefined;
  readonly onPhoto: (photo: File) => void;
}

interface ShutterProps extends ShutterFieldProps {
  readonly className: string;
  /** The name where the content is an icon alone. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** Opens the phone's camera. The native field lies over the button, unseen. */
function Shutter({ className, label, children, ...field }: ShutterProps) {
  return (
    <label className={`${className} covered`}>
      {children}
      {label !== undefined && <span className="sr">{label}</span>}
      <ShutterField {...field} />
    </label>
  );
}

/** The native field of the phone's camera, for a label around it. */
export function ShutterField({ onShutter, onPhoto }: ShutterFieldProps) {
  return (
    <input
      type="file"
      accept="image/*"
      capture="environment"
      onClick={onShutter}
      onChange={(event) => {
        const photo = event.currentTarget.files?.[0];
        if (photo) onPhoto(photo);
        // The same file may be chosen again.
        event.currentTarget.value = '';
      }}
    />
  );
}

export function Thumbnail({ id, label }: { readonly id: string; readonly label: string }) {
  const { uploads } = useServices();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(true);
  useEffect(() => {
    if (canvas.current) drawThumbnail(uploads, id, canvas.current).then(setDrawn, () => setDrawn(false));
  }, [uploads, id]);
  return (
    <>
      <canvas ref={canvas} width={224} height={168} role="img" aria-label={label} />
      {!isDrawn && <span className="cap">{t('photo.noPicture')}</span>}
    </>
  );
}
