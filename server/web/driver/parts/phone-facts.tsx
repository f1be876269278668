import { useStatus } from '@tailgate/client-sdk/react';
import { useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import type { Room } from '../model/phone.ts';
import { isShort, roomOf, rounded, wrongClock } from '../model/phone.ts';
import { span, t } from '../words/words.ts';

/** Little room for photos; empty while there is enough. */
export function RoomNote() {
  const room = useRoom();
  if (room?.photos === undefined || !isShort(room)) return null;
  return (
    <Banner icon="cam" tone="warn">
      <p>
        <strong>{t('phone.room', { n: room.photos })}</strong> {t('phone.roomWhy')}
      </p>
    </Banner>
  );
}

/** The phone's clock and its storage, good or bad. */
export function PhoneFacts() {
  const { clockAheadMs } = useStatus();
  const room = useRoom();
  const wrong = wrongClock(clockAheadMs);
  return (
    <ul className="facts-list pad-x">
      <li className={clockAheadMs === undefined ? 'open' : wrong === undefined ? undefined : 'look'}>
        <Icon name={clockAheadMs === undefined ? 'clock' : wrong === undefined ? 'check' : 'warn'} />
        <span>{clockSentence(clockAheadMs, wrong)}</span>
      </li>
      {room?.photos !== undefined && (
        <li>
          <Icon name="cam" />
          <span>{t('phone.room', { n: rounded(room.photos) })}</span>
        </li>
      )}
      {room && (
        <li className={room.isKept ? undefined : 'look'}>
          <Icon name={room.isKept ? 'check' : 'warn'} />
          <span>{t(room.isKept ? 'phone.kept' : 'phone.notKept')}</span>
        </li>
      )}
    </ul>
  );
}

function clockSentence(ahead: number | undefined, wrong: number | undefined): string {
  if (ahead === undefined) return t('phone.clockUnknown');
  if (wrong === undefined) return t('phone.clockRight');
  return t(wrong > 0 ? 'phone.clockAhead' : 'phone.clockBehind', { span: span(Math.abs(wrong)) });
}

/** The browser's storage, asked when the screen opens; undefined until it answers, or where it cannot. */
function useRoom(): Room | undefined {
  const [room, setRoom] = useState<Room>();
  useEffect(() => {
    let isOver = false;
    const ask = async (): Promise<void> => {
      const { storage } = navigator;
      const [estimate, isKept] = await Promise.all([storage.estimate(), storage.persisted()]);
      if (!isOver) setRoom(roomOf(estimate, isKept));
    };
    // Without an answer the screen omits it.
    ask().catch(() => undefined);
    return () => void (isOver = true);
  }, []);
  return room;
}
