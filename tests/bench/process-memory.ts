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
export const peakMemory = (pid: number | undefined): number => kilobytes(pid, 'status', 'VmHWM') * 1024;

/** Resident bytes now; Linux only, else NaN. */
export const residentMemory = (pid: number | undefined): number => kilobytes(pid, 'status', 'VmRSS') * 1024;

/** Its own bytes and its share of those that it shares with others (PSS); Linux only, else NaN. */
export const proportionalMemory = (pid: number | undefined): number => kilobytes(pid, 'smaps_rollup', 'Pss') * 1024;

function kilobytes(pid: number | undefined, file: 'status' | 'smaps_rollup', field: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? Number.NaN);
  } catch {
    return Number.NaN;
  }
}
