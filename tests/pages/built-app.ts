import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const build = join(import.meta.dirname, '../../server/web/build/main.ts');

/** Builds the pages as `npm start` does, where its sources have changed. */
export async function buildApp(): Promise<void> {
  await promisify(execFile)(process.execPath, ['--conditions=source', build, '--if-changed']);
}
