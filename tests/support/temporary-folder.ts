import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { atFileEnd } from './file-end.ts';
import { throwawayPlace } from './throwaway-place.ts';

/** A new folder that is deleted at the end of the test file; other users may enter, so PostgreSQL can, too. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(await throwawayPlace(), 'tailgate-'));
  await chmod(folder, 0o711);
  atFileEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
