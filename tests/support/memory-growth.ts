import { peakMemory, resetPeakMemory, residentMemory } from '../bench/process-memory.ts';

/** The bytes by which a process grows at most during an action; Linux only, else NaN. */
export async function memoryGrowth(pid: number | undefined, work: () => Promise<unknown>): Promise<number> {
  resetPeakMemory(pid);
  const before = residentMemory(pid);
  await work();
  return peakMemory(pid) - before;
}
