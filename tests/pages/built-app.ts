import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const build = join(import.meta.dirname, '../../server/web/build/main.ts');

/** Builds the pages as `npm start` does, where their sources have changed. `PAGES_RUNTIME=react`: with real React. */
export async function buildApp(runtime = process.env['PAGES_RUNTIME'] ?? 'preact'): Promise<void> {
  await promisify(execFile)(process.execPath, ['--conditions=source', build, '--if-changed', '--runtime', runtime]);
}
