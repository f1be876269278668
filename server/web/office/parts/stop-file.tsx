import { useEffect, useRef, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { isPicture } from '../model/stop-lines.ts';
import type { Placed } from '../zones.ts';
import { useAsset } from '../use-asset.ts';
import { session } from '../session.ts';
import { useSignal } from '../use-signal.ts';
import { t } from '../words/words.ts';
import { FaultNote } from './fault-note.tsx';
import { Moment } from './moment.tsx';

export interface ShownFile {
  readonly asset_id: string;
  readonly state: 'awaited' | 'here' | 'missing';
  readonly mime: string;
  readonly name: string;
  readonly size: number;
  readonly received_at: string | null;
}

interface FileViewProps {
  readonly file: ShownFile;
  /** What it shows, in words. */
  readonly label: string;
  readonly of?: Placed;
}

/** Why there is nothing to open yet. */
const waiting = { here: 'stop.fileLoading', awaited: 'stop.fileAwaited', missing: 'stop.fileMissing' } as const;

/** A file of a stop as a small picture. It is fetched when it comes into view; a click opens the original. */
export function FileView({ file, label, of }: FileViewProps) {
  const place = useRef<HTMLElement>(null);
  const [isSeen, setSeen] = useState(false);
  const [isOpen, setOpen] = useState(false);
  // A modal dialog would keep the form of the lock out of reach: it opens again after the unlock.
  const isLocked = useSignal(session).is === 'locked';
  const { asset_id, state, mime, name, size, received_at: at } = file;
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    if (place.current) watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  const isHere = state === 'here';
  const type = isPicture(mime) ? mime : 'application/octet-stream';
  const { url, fault } = useAsset(asset_id, type, isHere && isSeen);
  return (
    <figure ref={place}>
      {url === undefined ? (
        <span className="no-picture">
          <Icon name={isHere ? 'file' : 'clock'} />
          {t(waiting[state])}
        </span>
      ) : (
        <button type="button" aria-label={t('stop.open', { name: label })} onClick={() => setOpen(true)}>
          {isPicture(mime) ? (
            <img src={url} alt={label} />
          ) : (
            <span className="no-picture">
              <Icon name="file" />
              {t('stop.open', { name: label })}
            </span>
          )}
        </button>
      )}
      <FaultNote fault={fault} />
      <figcaption>
        {label}
        {name !== '' && ` · ${name}`}
        {size > 0 && ` · ${t('stop.size', { n: Math.max(1, Math.round(size / 1_000)) })}`}
        {at !== null && (
          <>
            {' · '}
            <Moment at={at} {...(of && { of })} />
          </>
        )}
      </figcaption>
      {isOpen && !isLocked && url !== undefined && (
        <Sheet
          title={label}
          below={name === '' ? asset_id : name}
          closeLabel={t('app.close')}
          onClose={() => setOpen(false)}
          foot={
            <p className="sheet-foot">
              <a className="btn" href={url} download={name === '' ? asset_id : name}>
                <Icon name="dl" />
                {t('stop.save')}
              </a>
            </p>
          }
        >
          {isPicture(mime) ? <img className="original" src={url} alt={label} /> : <p>{t('stop.noPicture')}</p>}
        </Sheet>
      )}
    </figure>
  );
}
