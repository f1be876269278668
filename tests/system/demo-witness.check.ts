import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { isAlive } from '../../server/src/embedded-postgres/cluster.ts';
import { signUp } from '../support/people.ts';
import { RestClient } from '../support/rest-client.ts';
import { startServer } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { storeFiles } from '../support/uploads.ts';

test('a demo has a witness of its own, which ends with the server, also where that is killed', async () => {
  const server = await startServer({ DATA_DIR: await temporaryFolder() });
  const children = async () => (await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')).trim();
  const witnessOf = async (): Promise<number> => {
    for (const pid of (await children()).split(' '))
      if ((await readFile(join('/proc', pid, 'cmdline'), 'utf8')).includes('bin/witness.ts')) return Number(pid);
    throw new Error('no child of the server is a witness');
  };
  const first = await witnessOf();
  const client = new RestClient(server.url);
  const photo = { name: 'dock.jpg', bytes: Buffer.from('a photo') };
  await storeFiles(client, { files: [photo], as: await signUp(client, '1001') });
  await vi.waitFor(
    async () => {
      const note = await (await fetch(`${server.url}/log/service/checkpoint`)).text();
      expect(note).toContain('— witness-of-the-demo ');
    },
    { timeout: 60_000, interval: 200 },
  );
  await server.stop();
  expect(isAlive(first)).toBe(false);
  await server.start();
  const second = await witnessOf();
  await server.kill9();
  await vi.waitFor(() => expect(isAlive(second)).toBe(false), { timeout: 60_000, interval: 50 });
  // It stops the database that the killed one has left.
  await server.start();
}, 180_000);
