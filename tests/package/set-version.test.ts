import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const manifests = ['', 'server/', 'server/verify/', 'server/web/', 'sync-protocol/', 'client-sdk/'].map(
  (folder) => `${folder}package.json`,
);
const quoting = [
  'package-lock.json',
  'client-sdk/src/engine/queue-connection.ts',
  'server/src/http/openapi/examples.json',
  'docs/openapi.json',
];

let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  for (const path of ['.ci/set-version.mjs', ...manifests, ...quoting])
    await cp(join(root, path), join(folder, path), { recursive: true });
});

const setVersion = (version: string) => run(process.execPath, [join(folder, '.ci/set-version.mjs'), version]);
const read = (path: string) => readFile(join(folder, path), 'utf8');
const contents = () => Promise.all([...manifests, ...quoting].map(read));

describe('npm run set-version', () => {
  test('writes the version to every package, lock entry and quotation, and changes nothing else', async () => {
    const before = await contents();
    const [, previous = ''] = /"version": "(.*)"/.exec(before[0] ?? '') ?? [];
    await setVersion('7.8.9');
    const after = await contents();
    for (const [i, text] of after.entries()) {
      expect(text).toContain('7.8.9');
      expect(text.replaceAll('7.8.9', previous)).toBe(before[i]);
    }
    expect(await read('server/package.json')).toContain('"@tailgate/sync-protocol": "7.8.9"');
    expect(await read('server/web/package.json')).toContain('"@tailgate/client-sdk": "7.8.9"');
    expect(await read('client-sdk/package.json')).toContain('"@tailgate/sync-protocol": "7.8.9"');
    await setVersion(previous);
    expect(await contents()).toEqual(before);
  });

  test('refuses text that is not a version and leaves the files unchanged', async () => {
    const before = await contents();
    await expect(setVersion('latest')).rejects.toThrow('usage: npm run set-version -- 0.2.0');
    expect(await contents()).toEqual(before);
  });
});
