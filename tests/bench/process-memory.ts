import { readFileSync, writeFileSync } from 'node:fs';

/** Forgets the process's highest memory so far, so that the next reading is of what comes now; Linux only. */
export function resetPeakMemory(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // It has ended, or this is no Linux: `peakMemory` says NaN or the peak since the start.
  }
}

/** Most resident bytes since the reset; Linux only, else NaN. */
export const peakMemory = (pid: number | undefined): number => kilobytes(pid, 'VmHWM') * 1024;

/** Resident bytes now; Linux only, else NaN. */
export const residentMemory = (pid: number | undefined): number => kilobytes(pid, 'VmRSS') * 1024;

function kilobytes(pid: number | undefined, field: 'VmHWM' | 'VmRSS'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN);
  } catch {
    return Number.NaN;
  }
}
