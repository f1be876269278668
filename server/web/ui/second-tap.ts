/** Between the taps of a double tap; ms. A driver who reads the next act needs longer. */
const doubleTapMs = 350;
/** Between the places of two taps of one finger; CSS px. */
const near = 30;
/** A tap waits no longer for a slow page; ms. Beyond it a browser counts its times otherwise, and the tap counts. */
const longestWaitMs = 3_000;

/** Time and place of a click. `detail`: 0 for a key. */
export type Tap = Pick<MouseEvent, 'timeStamp' | 'clientX' | 'clientY' | 'detail'>;

/**
 * Returns a function that decides for each click, in their order, whether it counts. The next act of a double tap does not,
 * nor does a third or fourth tap in its rhythm. A tap from before its act was drawn was a tap on another act.
 */
export function tapFilter(): (tap: Tap, drawnAt: number) => boolean {
  let before: Tap | undefined;
  return (tap, drawnAt) => {
    const counts = tap.detail === 0 || !(isSecondTap(before, tap) || isEarlier(tap, drawnAt));
    before = tap;
    return counts;
  };
}

/** Whether a click is at the place of the one before, and too soon for an answer to it. */
const isSecondTap = (before: Tap | undefined, tap: Tap): boolean =>
  before !== undefined &&
  tap.timeStamp - before.timeStamp < doubleTapMs &&
  Math.hypot(tap.clientX - before.clientX, tap.clientY - before.clientY) < near;

const isEarlier = ({ timeStamp }: Tap, drawnAt: number): boolean =>
  timeStamp < drawnAt && drawnAt - timeStamp < longestWaitMs;
