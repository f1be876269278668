import { chmod, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { openEmbedded } from '../../server/src/embedded-postgres/embedded.ts';
import { nativeFolder, placeCluster } from '../../server/src/embedded-postgres/placement.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;
const options = { log: recordedLog(), name: 'test' };

describe('the place of the embedded PostgreSQL', () => {
  test('contains the platform’s programs', async () => {
    expect((await stat(join(nativeFolder(), 'bin/postgres'))).isFile()).toBe(true);
  });

  test('is DATA_DIR; under root it belongs to another user', async () => {
    const cluster = await placeCluster(await temporaryFolder());
    expect(cluster.owner?.uid).not.toBe(0);
    expect(cluster.owner === undefined).toBe(!isRoot);
  });

  test('below a private folder works; under root it moves out, and the next start finds it', async () => {
    const home = await temporaryFolder();
    await chmod(home, 0o700);
    const dataDir = join(home, 'data of José');
    const first = await openEmbedded(dataDir, options);
    atFileEnd(() => first.stop());
    const folder = isRoot
      ? /^\/var\/lib\/tailgate\/\w+-\w+ \(PostgreSQL's user cannot enter /
      : join(dataDir, 'postgres');
    expect(first.place).toMatch(folder);
    if (isRoot) atFileEnd(() => rm(first.place.replace(/ .*/, ''), { recursive: true, force: true }));
    await first.stop();

    const second = await openEmbedded(dataDir, options);
    atFileEnd(() => second.stop());
    expect(second).toMatchObject({ url: first.url, place: first.place });
    const client = new pg.Client({ connectionString: second.url });
    await client.connect();
    await client.end();
    await second.stop();
  });

  test('a database that its user can no longer reach is an error, not a new database', async () => {
    const home = await temporaryFolder();
    const dataDir = join(home, 'data');
    await (await openEmbedded(dataDir, options)).stop();
    await chmod(home, isRoot ? 0o700 : 0o000);
    const opening = openEmbedded(dataDir, options);
    await expect(opening).rejects.toThrow(isRoot ? /cannot enter .*: open it with chmod o\+x/ : /cannot be used/);
    await chmod(home, 0o711);
    await (await openEmbedded(dataDir, options)).stop();
  });
});
