import { useLayoutEffect, useRef } from 'react';
import { createSignal } from '../../ui/signal.ts';
import type { Burst } from '../model/scan.ts';
import { afterKey, noBurst } from '../model/scan.ts';

/** A code that another screen read; the scan screen takes it. */
export const handedCode = createSignal<string | undefined>(undefined);

/** Whether this run has seen a hardware scanner: the camera then waits for a tap. */
export const handScanner = createSignal(false);

/** After this pause, the code of a scanner that sends no Enter is complete; ms. */
const endMs = 400;

type Reader = (code: string) => void;

/** The screens that take codes; the latest one has them. */
const readers: { readonly current: Reader }[] = [];

/**
 * Reads a hardware scanner while the screen is shown. It types each code like a keyboard in a burst, with or without Enter
 * or Tab at its end. Keys in a field belong to the field.
 */
export function useHandScanner(onCode: Reader): void {
  const latest = useRef(onCode);
  latest.current = onCode;
  // At once, as the screen changes: the screen before takes no code meanwhile.
  useLayoutEffect(() => {
    readers.push(latest);
    return () => void readers.splice(readers.indexOf(latest), 1);
  }, []);
}

/**
 * Listens for the keys of the whole run, so that a burst which begins while the screen changes is complete, or no code at
 * all. A code whose burst ends under a sheet is dropped, and presses none of its buttons.
 */
export function startHandScanner(): void {
  let burst: Burst = noBurst;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const finish = (code: string): void => {
    const reader = readers.at(-1);
    if (!reader || isUnderSheet()) return;
    handScanner.set(true);
    reader.current(code);
  };
  const end = (): void => {
    const { code } = afterKey(burst, 'Enter', burst.lastAt);
    burst = noBurst;
    if (code !== undefined) finish(code);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || isForField(event.target)) {
      burst = noBurst;
      return;
    }
    clearTimeout(timer);
    const next = afterKey(burst, event.key, event.timeStamp);
    burst = next.burst;
    // The Enter of a burst presses no button, and its blanks neither. Slow keys of a sheet stay its own.
    if (next.code !== undefined || (burst.text.length > 1 && readers.length > 0 && !isUnderSheet()))
      event.preventDefault();
    if (next.code !== undefined) finish(next.code);
    else if (burst.text !== '') timer = setTimeout(end, endMs);
  };
  addEventListener('keydown', onKey, true);
}

const isForField = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.matches('input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]');

const isUnderSheet = (): boolean => document.querySelector('dialog[open]') !== null;
