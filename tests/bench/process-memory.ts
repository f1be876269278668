import { readFileSync, writeFileSync } from 'node:fs';

/** Resets the process's peak memory, so that the next reading covers only later work; Linux only. */
export function resetPeakMemory(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The process has ended, or the system is not Linux: `peakMemory` returns NaN or the peak since the start.
  }
}

/** Peak resident bytes since the reset; Linux only, else NaN. */
export const peakMemory = (pid: number | undefined): number => kilobytes(pid, 'status', 'VmHWM') * 1024;

/** Current resident bytes; Linux only, else NaN. */
export const residentMemory = (pid: number | undefined): number => kilobytes(pid, 'status', 'VmRSS') * 1024;

/** The process's own bytes and its share of shared ones (PSS); Linux only, else NaN. */
export const proportionalMemory = (pid: number | undefined): number => kilobytes(pid, 'smaps_rollup', 'Pss') * 1024;

function kilobytes(pid: number | undefined, file: 'status' | 'smaps_rollup', field: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? Number.NaN);
  } catch {
    return Number.NaN;
  }
}
