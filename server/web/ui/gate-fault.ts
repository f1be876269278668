import { createSignal } from './signal.ts';

/** Why the latest act of a gate recorded nothing, in the reader's words: the gate shows it until it leaves the screen. */
export const gateFault = createSignal<string | undefined>(undefined);
