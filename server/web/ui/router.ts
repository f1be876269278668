import { useSyncExternalStore } from 'react';

/** The present address of the app: the part behind `#/`, decoded, in its steps. */
export interface Address {
  readonly path: string;
  readonly steps: readonly string[];
}

/** The address of a page for a link: `href('stop', 6, 'line', key)`. */
export const href = (...steps: readonly (string | number)[]): string =>
  `#/${steps.map((step) => encodeURIComponent(step)).join('/')}`;

/** Goes to a page. `replace` leaves no entry for the back button. */
export function go(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (!replace) {
    location.hash = address;
    return;
  }
  history.replaceState({ place: position }, '', address);
  turn(read(), false);
}

/** Leaves a sheet and the page below it: the address takes the place of both. */
export function leaveTo(address: string): void {
  if (position === 0) {
    go(address, { replace: true });
    return;
  }
  leaving = address;
  history.back();
}

let leaving: string | undefined;

/** Goes back within the app; where the app was opened at this page, goes to its parent instead. */
export function goBack(parent: string): void {
  if (position > 0) history.back();
  else go(parent, { replace: true });
}

let current = read();
/** The place of the present page in the history of this app. */
let position = placeOf(history.state) ?? 0;
/** How far each page of the history was scrolled. */
const scrolled = new Map<number, number>();
const listeners = new Set<() => void>();

/** Follows the address. Called once, before the first render. */
export function startRouter(): void {
  history.scrollRestoration = 'manual';
  // The page may have changed its own address since this module was loaded.
  current = read();
  if (placeOf(history.state) === undefined) history.replaceState({ place: 0 }, '');
  addEventListener('hashchange', () => {
    const known = placeOf(history.state);
    if (leaving !== undefined) {
      position = known ?? position;
      history.replaceState({ place: position }, '', leaving);
      leaving = undefined;
      turn(read(), false);
      return;
    }
    const next = read();
    if (next.path === current.path && known === position) return;
    // With large text on a small screen the whole page scrolls.
    scrolled.set(position, document.querySelector('main')?.scrollTop || scrollY);
    position = known ?? position + 1;
    if (known === undefined) history.replaceState({ place: position }, '');
    turn(next, known !== undefined);
  });
}

let isReturn = false;

function turn(next: Address, returns: boolean): void {
  isReturn = returns;
  current = next;
  for (const listener of [...listeners]) listener();
}

/** How far the present page was scrolled when the reader left it; 0 for a new page. */
export const scrolledBefore = (): number => (isReturn ? (scrolled.get(position) ?? 0) : 0);

export const useAddress = (): Address => useSyncExternalStore(subscribe, () => current);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function read(): Address {
  const path = location.hash.replace(/^#?\/?/, '');
  return { path, steps: stepsOf(path) };
}

export function stepsOf(path: string): string[] {
  return path.split('/').filter(Boolean).map(decode);
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step; // a person typed it
  }
}

function placeOf(state: unknown): number | undefined {
  return state instanceof Object && 'place' in state && typeof state.place === 'number' ? state.place : undefined;
}
