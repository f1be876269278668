import { useEffect, useRef } from 'react';
import { createSignal } from '../../ui/signal.ts';
import type { Burst } from '../model/scan.ts';
import { afterKey, noBurst } from '../model/scan.ts';

/** A code that another screen read; the scan screen takes it. */
export const handedCode = createSignal<string | undefined>(undefined);

/** Whether this run has seen a hardware scanner: the camera then waits for a tap. */
export const handScanner = createSignal(false);

/** After this pause, the code of a scanner that sends no Enter is complete; ms. */
const endMs = 400;

/**
 * Reads a hardware scanner, which types each code like a keyboard in a burst, with or without Enter or Tab at its end.
 * Keys in a field belong to the field, and those under a sheet to the sheet.
 */
export function useHandScanner(onCode: (code: string) => void): void {
  const latest = useRef(onCode);
  latest.current = onCode;
  useEffect(() => {
    let burst: Burst = noBurst;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (code: string): void => {
      handScanner.set(true);
      latest.current(code);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || isForField(event.target) || isUnderSheet()) return;
      clearTimeout(timer);
      const next = afterKey(burst, event.key, event.timeStamp);
      burst = next.burst;
      // The Enter of a burst presses no button, and its blanks neither.
      if (next.code !== undefined || burst.text.length > 1) event.preventDefault();
      if (next.code !== undefined) finish(next.code);
      else if (burst.text !== '') timer = setTimeout(end, endMs);
    };
    const end = (): void => {
      const { code } = afterKey(burst, 'Enter', burst.lastAt);
      burst = noBurst;
      if (code !== undefined) finish(code);
    };
    addEventListener('keydown', onKey, true);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', onKey, true);
    };
  }, []);
}

const isForField = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.matches('input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]');

const isUnderSheet = (): boolean => document.querySelector('dialog[open]') !== null;
