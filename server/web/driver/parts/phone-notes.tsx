import { useDriver, useStatus } from '@tailgate/client-sdk/react';
import { Banner } from '../../ui/parts/chip.tsx';
import { moment, span, t } from '../words/words.ts';

/** A clock that is wrong by less needs no word: the server corrects every time. */
const clockSlackMs = 2 * 60_000;

/** What the driver should know about this phone: its clock, its storage, the end of the session. */
export function PhoneNotes() {
  const { clockAheadMs = 0, lastError } = useStatus();
  const endsAt = useDriver()?.sessionEndsAt;
  return (
    <>
      {Math.abs(clockAheadMs) >= clockSlackMs && (
        <Banner icon="warn" tone="warn">
          <p>
            {t(clockAheadMs > 0 ? 'phone.clockAhead' : 'phone.clockBehind', { span: span(Math.abs(clockAheadMs)) })}
          </p>
        </Banner>
      )}
      {lastError?.code === 'EVICTED' && (
        <Banner icon="warn" tone="bad">
          <p>{t('phone.evicted')}</p>
        </Banner>
      )}
      {endsAt !== undefined && (
        <Banner icon="key">
          <p>{t('phone.sessionEnds', { time: moment(endsAt, Date.now()) })}</p>
        </Banner>
      )}
    </>
  );
}
