import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/** Linux stores these files in memory. */
export const MEMORY = '/dev/shm';
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * The folder for the folders of tests: in memory where there is plenty of it. A new database is three hundred files,
 * which are slow on some disks, and initdb waits for the disk (1.2 s of CPU, 0.5 in memory).
 */
export async function throwawayPlace(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > MEMORY_NEEDED_BYTES ? MEMORY : tmpdir();
}
