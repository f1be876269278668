import { useClient, useStatus } from '@tailgate/client-sdk/react';
import { useEffect, useState } from 'react';
import { countdownOf } from '../model/closing.ts';
import { loadWord } from '../words/load-words.ts';
import { time } from '../words/words.ts';

interface CountdownProps {
  readonly deadline: number;
  readonly arrivedAt: number | undefined;
}

/** The time until the office closes the route, by the office's clock as far as this phone knows it. */
export function Countdown({ deadline, arrivedAt }: CountdownProps) {
  const now = useServerTime();
  const { clockAheadMs } = useStatus();
  const { left, text, percent } = countdownOf(deadline, now, arrivedAt);
  const clock = clockAheadMs === undefined ? 'close.byPhone' : 'close.byOffice';
  const words = left > 0 ? loadWord('close.countdown') : loadWord('close.timeUp');
  return (
    <div className="card count" role="timer" aria-label={`${words} ${text}`}>
      <svg viewBox="0 0 84 84" aria-hidden="true">
        <circle cx="42" cy="42" r="36" className="ring0" />
        {percent > 0 && (
          <circle
            cx="42"
            cy="42"
            r="36"
            className="ring1"
            pathLength="100"
            strokeDasharray={`${percent} 100`}
            transform="rotate(-90 42 42)"
          />
        )}
      </svg>
      <div>
        <p className="small">{words}</p>
        <p className="bignum">{text}</p>
        {/* The deadline on the reader's clock: the office's clock decides when it is reached. */}
        <p className="cap">{loadWord(clock, { time: time(deadline) })}</p>
      </div>
    </div>
  );
}

/** The server's time, drawn again within a quarter of a second of each second. */
function useServerTime(): number {
  const client = useClient();
  const [now, setNow] = useState(() => client.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(client.now()), 250);
    return () => clearInterval(timer);
  }, [client]);
  return now;
}
