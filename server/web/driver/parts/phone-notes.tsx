import { useDriver, useStatus } from '@tailgate/client-sdk/react';
import { Banner } from '../../ui/parts/chip.tsx';
import { wrongClock } from '../model/phone.ts';
import { moment, span, t } from '../words/words.ts';
import { RoomNote } from './phone-facts.tsx';

/** Warnings about this phone: its clock, its storage, the end of the session. */
export function PhoneNotes() {
  const { clockAheadMs, lastError } = useStatus();
  const wrong = wrongClock(clockAheadMs);
  const endsAt = useDriver()?.sessionEndsAt;
  return (
    <>
      {wrong !== undefined && (
        <Banner icon="warn" tone="warn">
          <p>{t(wrong > 0 ? 'phone.clockAhead' : 'phone.clockBehind', { span: span(Math.abs(wrong)) })}</p>
        </Banner>
      )}
      {lastError?.code === 'EVICTED' && (
        <Banner icon="warn" tone="bad">
          <p>{t('phone.evicted')}</p>
        </Banner>
      )}
      <RoomNote />
      {endsAt !== undefined && (
        <Banner icon="key">
          <p>{t('phone.sessionEnds', { time: moment(endsAt, Date.now()) })}</p>
        </Banner>
      )}
    </>
  );
}
