/** How the pipeline waits: by the machine's clock and chance, or by those of whoever has to decide them. */
export interface Pauses {
  /** Milliseconds of a clock that never jumps. */
  now(): number;
  /** Does `work` once, in so many milliseconds. @returns the way to call it off */
  after(ms: number, work: () => void): () => void;
  /** From 0 to below 1. */
  random(): number;
}

export const machinePauses: Pauses = {
  now: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
