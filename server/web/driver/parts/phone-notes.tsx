import { useDriver, useStatus } from '@tailgate/client-sdk/react';
import { Banner } from '../../ui/parts/chip.tsx';
import { wrongClock } from '../model/phone.ts';
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
      <RoomNote />
      {endsAt !== undefined && (
        <Banner icon="key">
          <p>{t('phone.sessionEnds', { time: moment(endsAt, Date.now()) })}</p>
        </Banner>
      )}
    </>
  );
}

/** The browser has deleted the app's data since its last start. */
export function EvictedNote() {
  const { lastError } = useStatus();
  if (lastError?.code !== 'EVICTED') return null;
  return (
    <Banner icon="warn" tone="bad" role="alert">
      <p>{t('phone.evicted')}</p>
    </Banner>
  );
}
