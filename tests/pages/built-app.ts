import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/temporary-folder.ts';

const build = join(import.meta.dirname, '../../server/web/build/main.ts');

/** Builds the driver app as `npm start` does, into a folder that is deleted with the test file. */
export async function builtApp(): Promise<string> {
  const folder = join(await temporaryFolder(), 'app');
  await promisify(execFile)(process.execPath, ['--conditions=source', build, '--out', folder]);
  return folder;
}
