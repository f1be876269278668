import { useDriver, useStatus, useWatch } from '@tailgate/client-sdk/react';
import { Banner } from '../../ui/parts/chip.tsx';
import { closeEviction, evicted } from '../eviction.ts';
import { links } from '../links.ts';
import { wrongClock } from '../model/phone.ts';
import { lostPhoto } from '../saving.ts';
import { moment, span, t } from '../words/words.ts';
import { RoomNote } from './phone-facts.tsx';

/** Warnings about this phone: its clock, its storage, the end of the session. */
export function PhoneNotes() {
  const { clockAheadMs } = useStatus();
  const wrong = wrongClock(clockAheadMs);
  const endsAt = useDriver()?.sessionEndsAt;
  return (
    <>
      {wrong !== undefined && (
        <Banner icon="warn" tone="warn">
          <p>{t(wrong > 0 ? 'phone.clockAhead' : 'phone.clockBehind', { span: span(Math.abs(wrong)) })}</p>
        </Banner>
      )}
      <EvictedNote />
      <LostPhotoNote />
      <RoomNote />
      {endsAt !== undefined && (
        <Banner icon="key">
          <p>{t('phone.sessionEnds', { time: moment(endsAt, Date.now()) })}</p>
        </Banner>
      )}
    </>
  );
}

/** A photo was not stored, and its sheet may be closed: the way to take it again. */
export function LostPhotoNote() {
  const lost = useWatch(lostPhoto);
  if (!lost) return null;
  return (
    <Banner icon="cam" tone="bad" role="alert">
      <p>{lost.why}</p>
      {lost.stop === undefined ? (
        <button className="btn btn-wide" type="button" onClick={() => lostPhoto.set(undefined)}>
          {t('app.close')}
        </button>
      ) : (
        <a className="btn btn-wide" href={links.photos(lost.stop)} onClick={() => lostPhoto.set(undefined)}>
          {t('photos.title', { n: lost.stop })}
        </a>
      )}
    </Banner>
  );
}

/** The browser has deleted the app's data since its last start. */
export function EvictedNote() {
  if (!useWatch(evicted)) return null;
  return (
    <Banner icon="warn" tone="bad" role="alert">
      <p>{t('phone.evicted')}</p>
      <button className="btn btn-wide" type="button" onClick={closeEviction}>
        {t('app.close')}
      </button>
    </Banner>
  );
}
