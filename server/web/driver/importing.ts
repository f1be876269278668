import { createSignal } from '../ui/signal.ts';

/** Whether the client is closed for an import: nothing can be recorded until it is open again. */
export const importing = createSignal(false);
