/** The timers and randomness of the pipeline. Simulations pass their own. */
export interface Pauses {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Runs `work` once after `ms`. @returns a function that cancels it */
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
