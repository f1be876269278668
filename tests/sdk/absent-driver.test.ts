import type { Store } from '@tailgate/client-sdk';
import { MemoryStore } from '@tailgate/client-sdk';
import { sampleScope } from '@tailgate/client-sdk/testing';
import { fetchStack, MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import { expect, test } from 'vitest';
import { platform } from '../../client-sdk/src/platform/environment.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const id = (n: number): string => `019ab000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** A phone with one change of another driver on each of these routes, and no credentials for them but this key. */
async function phoneOf(routes: readonly string[], progress: object, queue_key: string | null = null): Promise<Store> {
  const store = new MemoryStore();
  const head = { client_id: id(0), employee: '1002', retired: false, queue_key };
  await store.write(
    [
      { put: 'queue', key: id(0), value: { ...head, sealed_seq: 0, sealed_link: null, epoch: '1' } },
      ...routes.map((route, i) => ({
        put: 'item' as const,
        key: `${id(0)}/${String(i + 1).padStart(10, '0')}`,
        value: {
          client_id: id(0),
          employee: '1002',
          form: 'frozen',
          edit_time: i,
          mutation: {
            ...{ id: id(i + 1), seq: i + 1, name: 'stop.update', version: 1 },
            args: { route: { facility: 'F01', id: route, week_end: '20261121' }, stop: { id: 1 } },
            ...{ captured_at: '2026-11-21T10:00:00.000Z', boot_id: 'b', monotonic_ms: 1, prev_hash: null },
          },
          progress,
        },
      })),
    ],
    'strict',
  );
  return store;
}

test('a driver gets the feed on a phone with unfinished changes of another driver on sixty routes', async () => {
  const server = await startScriptedServer();
  const routes = Array.from({ length: 60 }, (_, i) => `X${i}`);
  const accepted = { at: 'accepted', version: 1, epoch: '1.1', since: Date.now(), superseded: [] };
  const client = await new Device(server.url, { store: await phoneOf(routes, accepted) }).startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  server.cut();
  const hellos = () => server.heard.flatMap((frame) => (frame.type === 'hello' ? [frame] : []));
  await server.until(() => Object.keys(hellos().at(-1)?.cursors ?? {}).includes(sampleScope));
  const followed = Object.keys(hellos().at(-1)?.cursors ?? {});
  expect(followed.length).toBeLessThanOrEqual(50);
  // The changes still count, and their driver finds them again.
  expect(client.status.current.unhosted).toEqual({ '1002': 60 });
});

test.each([
  { changes: 'nobody here can send', key: null, held: { awaitsSignIn: { '1002': 1 }, refused: {} } },
  { changes: 'the server refuses', key: 'of a revoked queue', held: { awaitsSignIn: {}, refused: { '1002': 1 } } },
])('a file does not wait for a change that $changes', async ({ key, held }) => {
  const server = await startScriptedServer();
  if (key !== null) server.rejections.push('CLIENT_REVOKED');
  // The wait for changes in progress has no end here.
  const after = (ms: number, work: () => void) => (ms === 10_000 ? () => {} : platform.clock.after(ms, work));
  const uploads = await openUploads({ store: new MemoryFiles(), photos: false, httpStack: fetchStack(fetch) });
  const store = await phoneOf(['X1'], { at: 'waiting' }, key);
  const client = await new Device(server.url, { store, uploads, clock: { ...platform.clock, after } }).start();
  if (key !== null) await until(client.status, ({ refused }) => refused['1002'] === 1);
  await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
  await until(client.status, ({ connection }) => connection === 'online');
  expect(client.status.current).toMatchObject({ pending: { '1002': 1 }, ...held });
  const file = await uploads.add(new Blob([new Uint8Array(100)]), { kind: 'signature' });
  await uploads.here(file.id);
  expect(server.files.has(file.id)).toBe(true);
});
