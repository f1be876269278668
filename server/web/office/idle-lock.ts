import { lock, session } from './session.ts';

const signs = ['pointerdown', 'keydown', 'wheel'] as const;
const storageKey = 'tailgate-last-sign';
/** The last sign of a person is kept for a reload at most this often. */
const keptEveryMs = 5_000;

/**
 * Locks the page when nobody has touched it for the time that the server gives. A computer that slept locks when it
 * wakes, and a reload does not start the time anew.
 */
export function startIdleLock(): void {
  let lastSign = keptSign() ?? Date.now();
  let keptAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = (): void => {
    clearTimeout(timer);
    const { current } = session;
    if (current.is !== 'in') return;
    const left = lastSign + current.idleMinutes * 60_000 - Date.now();
    if (left <= 0) lock('idle');
    else timer = setTimeout(check, left);
  };
  const sign = (): void => {
    const now = Date.now();
    const { current } = session;
    // A touch after the time does not save the page: the computer slept.
    if (current.is === 'in' && now - lastSign > current.idleMinutes * 60_000) return check();
    lastSign = now;
    if (now - keptAt < keptEveryMs) return;
    keptAt = now;
    sessionStorage.setItem(storageKey, String(now));
  };
  for (const event of signs) addEventListener(event, sign, { capture: true, passive: true });
  document.addEventListener('visibilitychange', check);
  let was = session.current.is;
  session.subscribe(({ is }) => {
    if (is === 'in' && was !== 'in') {
      lastSign = Date.now();
      sessionStorage.setItem(storageKey, String(lastSign));
    }
    was = is;
    check();
  });
  check();
}

function keptSign(): number | undefined {
  const kept = Number(sessionStorage.getItem(storageKey) ?? Number.NaN);
  return Number.isFinite(kept) ? kept : undefined;
}
