import type { FileStore, KeptFile } from '@tailgate/client-sdk/uploads';
import { MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import { expect, test } from 'vitest';
import { platform } from '../../client-sdk/src/platform/environment.ts';
import { isKeptFile } from '../../client-sdk/src/uploads/file-store.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const photo = (first: number) => new Blob([new Uint8Array([first, 2, 3])]);
const names = { kind: 'photo', employee: '1001' } as const;
const longAgo = Date.UTC(2000, 0, 1);

async function recordsOf(store: FileStore): Promise<KeptFile[]> {
  return (await store.files()).map(({ value }) => value).filter(isKeptFile);
}

/** Marks every file as failed. */
async function fail(store: FileStore, since: number | undefined): Promise<void> {
  for (const file of await recordsOf(store))
    await store.put(file.id, {
      ...file,
      added: longAgo,
      state: { at: 'failed', code: 'REFUSED', reason: 'too large', since },
    });
}

/** A phone's run until it is online. */
async function runWith(store: FileStore, clock = platform.clock) {
  const server = await startScriptedServer();
  const uploads = await openUploads({ store, photos: false });
  const device = new Device(server.url, { uploads, clock });
  const client = await device.startSignedIn();
  await until(client.status, ({ connection }) => connection === 'online');
  return { uploads, device };
}

test('a failed file that is added again during the clean-up is sent', async () => {
  let addAgain = async (): Promise<unknown> => undefined;
  class Slow extends MemoryFiles {
    override async remove(id: string): Promise<void> {
      await super.remove(id);
      await addAgain();
    }
  }
  const store = new Slow();
  const before = await openUploads({ store, photos: false });
  await before.add(photo(1), names);
  const { id } = await before.add(photo(2), names);
  await fail(store, longAgo);
  const uploads = await openUploads({ store, photos: false });
  addAgain = () => uploads.add(photo(2), names);
  await new Device((await startScriptedServer()).url, { uploads }).startSignedIn();
  await expect.poll(() => uploads.file(id).current).toMatchObject({ at: 'here' });
  expect((await recordsOf(store)).map((file) => file.id)).toEqual([id]);
});

test('a failed file stays its time, whatever the clock of the phone showed when it failed', async () => {
  class Evicted extends MemoryFiles {
    override async piece(): Promise<undefined> {
      return undefined;
    }
  }
  const store = new Evicted();
  const { uploads, device } = await runWith(store, { ...platform.clock, now: () => longAgo });
  await uploads.add(photo(1), names);
  await expect.poll(() => uploads.status.current.failed).toHaveLength(1);
  await device.kill();
  const later = await runWith(store);
  await later.device.kill();
  expect(later.uploads.status.current.failed).toHaveLength(1);
});

test('a file that failed before the server’s time was known counts its age from then on', async () => {
  const store = new MemoryFiles();
  await (await openUploads({ store, photos: false })).add(photo(1), names);
  await fail(store, undefined);
  const began = Date.now();
  await runWith(store);
  const since = (file?: KeptFile) => (file?.state.at === 'failed' ? file.state.since : undefined);
  await expect.poll(async () => since((await recordsOf(store))[0])).toBeGreaterThanOrEqual(began);
});
