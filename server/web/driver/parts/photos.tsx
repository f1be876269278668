import { useClient } from '@tailgate/client-sdk/react';
import type { ReactNode } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { discardPhotos, drawThumbnail, storePhoto } from '../photo-store.ts';
import { useServices } from '../services.ts';
import { storingFault } from '../words/faults.ts';
import { t } from '../words/words.ts';

/** The photos that a sheet has added or removed while it was open. */
export interface PhotoSession {
  readonly note: (id: string) => void;
  /** Ends the session: the photos that it does not keep leave the phone. */
  readonly end: (kept: readonly string[]) => void;
}

export function usePhotoSession(): PhotoSession {
  const client = useClient();
  const { uploads } = useServices();
  const touched = useRef(new Set<string>());
  return {
    note: (id) => void touched.current.add(id),
    end: (kept) => {
      const rest = [...touched.current].filter((id) => !kept.includes(id));
      touched.current.clear();
      void discardPhotos(client, uploads, rest);
    },
  };
}

export interface PhotosProps {
  readonly legend: string;
  /** Whether the reason asks for one. */
  readonly isAsked?: boolean;
  /** Ids of files. */
  readonly photos: readonly string[];
  /** The interface takes no more. */
  readonly max?: number;
  readonly onChange: (photos: readonly string[]) => void;
  readonly session: PhotoSession;
  /** The file name without its ending, such as `photo-R100-6`. */
  readonly name: string;
  /** Called before the camera opens: a phone may end the page meanwhile. */
  readonly onShutter?: () => void;
  /** Called with whether a photo is being stored. */
  readonly onBusy?: (isBusy: boolean) => void;
}

/** Photos: take, take again, delete, each with one tap. All of it works without a network. */
export function Photos({
  legend,
  isAsked = false,
  photos,
  max = Infinity,
  onChange,
  session,
  name,
  ...given
}: PhotosProps) {
  const { uploads } = useServices();
  const [storing, setStoring] = useState(0);
  const [deleted, setDeleted] = useState<{ readonly id: string; readonly place: number }>();
  const [fault, setFault] = useState('');
  const isOpen = useRef(true);
  const latest = useRef({ photos, onChange });
  latest.current = { photos, onChange };
  const id = useId();
  const { onShutter, onBusy } = given;
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  useEffect(() => onBusy?.(storing > 0), [storing > 0]);

  const set = (change: (before: readonly string[]) => readonly string[]): void =>
    latest.current.onChange([...new Set(change(latest.current.photos))]);
  const take = async (photo: File, instead?: string): Promise<void> => {
    setStoring((count) => count + 1);
    setFault('');
    try {
      const taken = await storePhoto(uploads, photo, `${name}.jpg`);
      session.note(taken);
      // The sheet was closed meanwhile: its driver does not want the photo.
      if (!isOpen.current) return session.end([]);
      if (instead !== undefined) session.note(instead);
      setDeleted(undefined);
      set((before) =>
        instead === undefined ? [...before, taken] : before.map((each) => (each === instead ? taken : each)),
      );
    } catch (error) {
      setFault(storingFault('photo', error));
    } finally {
      setStoring((count) => count - 1);
    }
  };
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
        {photos.length < max && (
          <Shutter className="btn photo-add" onShutter={onShutter} onPhoto={(file) => void take(file)}>
            <Icon name="cam" />
            {t(photos.length === 0 ? 'photo.take' : 'photo.more')}
          </Shutter>
        )}
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
        {storing > 0 ? t('photo.storing') : ''}
      </p>
      {fault !== '' && (
        <p className="small badword" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

interface ShutterProps {
  readonly className: string;
  /** The name where the content is an icon alone. */
  readonly label?: string;
  readonly onShutter: (() => void) | undefined;
  readonly onPhoto: (photo: File) => void;
  readonly children: ReactNode;
}

/** Opens the phone's camera. The native field lies over the button, unseen. */
function Shutter({ className, label, onShutter, onPhoto, children }: ShutterProps) {
  return (
    <label className={`${className} shutter`}>
      {children}
      {label !== undefined && <span className="sr">{label}</span>}
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
    </label>
  );
}

function Thumbnail({ id, label }: { readonly id: string; readonly label: string }) {
  const { uploads } = useServices();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(true);
  useEffect(() => {
    if (canvas.current) void drawThumbnail(uploads, id, canvas.current).then(setDrawn);
  }, [uploads, id]);
  return (
    <>
      <canvas ref={canvas} width={224} height={168} role="img" aria-label={label} />
      {!isDrawn && <span className="cap">{t('photo.noPicture')}</span>}
    </>
  );
}
