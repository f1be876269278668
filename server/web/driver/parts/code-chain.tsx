import { useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { usePageVisible } from '../page-visible.ts';
import { rescueWord } from '../words/rescue-words.ts';
import { QrCode } from './qr-code.tsx';

/** How long a code is shown; a camera reads it in a third of that. */
const eachMs = 600;

/**
 * A chain of codes for another phone's camera, one after the other and again from the first. A reader who wants less
 * motion steps by hand, and may start it.
 */
export function CodeChain({ codes }: { readonly codes: readonly string[] }) {
  const [place, setPlace] = useState(0);
  const [runs, setRuns] = useState(() => !matchMedia('(prefers-reduced-motion: reduce)').matches);
  const isVisible = usePageVisible();
  const isRunning = runs && isVisible && codes.length > 1;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setPlace((before) => (before + 1) % codes.length), eachMs);
    return () => clearInterval(timer);
  }, [isRunning, codes]);

  const before = (place + codes.length - 1) % codes.length;
  const after = (place + 1) % codes.length;
  const step = (to: number): void => {
    setRuns(false);
    setPlace(to);
  };
  return (
    <>
      <figure className="qrbox chain">
        <QrCode text={codes[place] ?? ''} label={rescueWord('give.code', { n: place + 1, of: codes.length })} />
        <figcaption>{rescueWord('give.number', { n: place + 1, of: codes.length })}</figcaption>
      </figure>
      {codes.length > 1 && (
        <div className="btns b3">
          <button
            className="btn btn-main"
            type="button"
            aria-label={rescueWord('give.before', { n: before + 1 })}
            onClick={() => step(before)}
          >
            <Icon name="back" />
          </button>
          <button className="btn btn-main" type="button" onClick={() => setRuns(!runs)}>
            <Icon name={runs ? 'pause' : 'play'} />
            {rescueWord(runs ? 'give.hold' : 'give.run')}
          </button>
          <button
            className="btn btn-main"
            type="button"
            aria-label={rescueWord('give.after', { n: after + 1 })}
            onClick={() => step(after)}
          >
            <Icon name="chev" />
          </button>
        </div>
      )}
    </>
  );
}
