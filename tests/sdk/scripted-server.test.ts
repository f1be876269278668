import { createClient, MemoryStore } from '@tailgate/client-sdk';
import type { ClientOptions } from '@tailgate/client-sdk';
import { askForCell, findCell } from '@tailgate/client-sdk/cell';
import { driverPassword, sampleKey, ScriptedServer } from '@tailgate/client-sdk/testing';
import { fetchStack, MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import type { UploadsOptions } from '@tailgate/client-sdk/uploads';
import { describe, expect, test } from 'vitest';
import { openPage, servePage, startBrowser } from '../support/browser.ts';
import { atFileEnd } from '../support/file-end.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { until } from '../support/sdk-device.ts';

const timing = { retryBaseMs: 20, retryCapMs: 200 };

async function openApp(
  server: ScriptedServer,
  options: Partial<ClientOptions> = {},
  sending: Partial<UploadsOptions> = {},
) {
  const uploads = await openUploads({ store: new MemoryFiles(), photos: false, ...sending });
  const client = await createClient({ url: server.url, store: new MemoryStore(), timing, uploads, ...options });
  atFileEnd(() => client.close());
  const { kind } = await client.signIn({ employeeId: '1001', password: driverPassword });
  expect(kind).toBe('signed_in');
  await until(client.status, ({ connection }) => connection === 'online');
  return { client, uploads };
}

/** A server without a port is reachable only by its own `fetch` and `WebSocket`. */
const inside = (server: ScriptedServer) =>
  openApp(
    server,
    { fetch: server.fetch, WebSocket: server.WebSocket },
    { httpStack: fetchStack(server.fetch), chunkBytes: 1_000 },
  );

describe.each([
  ['that listens on loopback', async () => startScriptedServer(), (server: ScriptedServer) => openApp(server)],
  ['that is reached inside the process', async () => new ScriptedServer(), inside],
])('a scripted server %s', (_where, start, open) => {
  test('receives the files that a stop names, and the stop is complete', async () => {
    const server = await start();
    const { client, uploads } = await open(server);
    const bytes = Uint8Array.from({ length: 3_210 }, (_, i) => i % 251);
    const { id } = await uploads.add(bytes, { kind: 'signature', name: 'signature.png' });
    const receipt = client.updateStop(sampleKey, { id: 1, updates: { status: 'D', signature_id: id } });
    await receipt.complete;
    await uploads.here(id);
    expect(server.files.get(id)).toEqual({ id, name: 'signature.png', employee: '1001', bytes });
    expect(client.canSignOut()).toBe(true);
  });

  test('awaits a file until it has arrived, over a connection with cuts', async () => {
    const server = await start();
    const { client, uploads } = await open(server);
    server.refuse = true;
    server.cut();
    const { id } = await uploads.add(new Uint8Array([1, 2, 3]), { kind: 'photo' });
    const other = 'A'.repeat(16);
    const receipt = client.updateStop(sampleKey, { id: 2, updates: { signature_id: id } });
    const lacking = client.updateStop(sampleKey, { id: 3, updates: { signature_id: other } });
    await receipt.saved;
    server.refuse = false;
    await receipt.complete;
    await until(lacking, (state) => 'evidence' in state && state.evidence === 'awaited');
    expect([...server.files.keys()]).toEqual([id]);
  });

  test('loses later files with a restored backup, and receives them again', async () => {
    const server = await start();
    const { uploads } = await open(server);
    const before = server.ledger.backup();
    const { id } = await uploads.add(new Uint8Array([4, 5]), { kind: 'photo' });
    await uploads.here(id);
    server.ledger = before;
    server.ledger.epoch = 2;
    server.cut();
    await server.until(() => server.files.has(id));
    expect(server.files.get(id)?.bytes).toEqual(new Uint8Array([4, 5]));
  });

  test('names the cell of a facility, as a directory of cells does, and an app follows a depot that moves', async () => {
    const [directory, other] = [await start(), await start()];
    const fetched = directory.url.includes('scripted.invalid') ? directory.fetch : fetch;
    const asking = { directory: directory.url, facility: '030', store: new MemoryStore(), fetch: fetched };
    expect(await findCell(asking)).toBe(directory.url);
    directory.cells.set('030', `${other.url}/denver`);
    expect(await askForCell(asking)).toEqual({ kind: 'moved', url: `${other.url}/denver` });
    expect(await findCell({ ...asking, store: new MemoryStore(), facility: '010' })).toBe(directory.url);
    await expect(findCell({ ...asking, facility: '123456' })).rejects.toThrow('facility: at most 5 characters');
  });

  test('refuses files without credentials, files that differ from their digest, and files of another size', async () => {
    const server = await start();
    const request = server.url.includes('scripted.invalid') ? server.fetch : fetch;
    const upload = (headers: Record<string, string>, body: Uint8Array<ArrayBuffer>): Promise<Response> =>
      request(`${server.url}/api/sync/uploads`, { method: 'POST', headers, body });
    const unauthenticated = await upload({ employee_id: '1001', 'upload-length': '1' }, new Uint8Array([1]));
    expect(unauthenticated.status).toBe(401);

    const { uploads } = await open(server);
    const { id } = await uploads.add(new Uint8Array([6]), { kind: 'photo' });
    await uploads.here(id);
    const [api_token = ''] = server.tokens.keys();
    const who = { employee_id: '1001', api_token, 'upload-length': '1' };
    const named = (sha256: string): Record<string, string> => ({
      ...who,
      'upload-metadata': `asset_id ${btoa(id)},salt ${btoa('0123456789abcdef')},sha256 ${btoa(sha256)}`,
    });
    expect((await upload(named('00'.repeat(32)), new Uint8Array([7]))).status).toBe(400);
    const unnamed = await upload(who, new Uint8Array([8]));
    expect(unnamed.status).toBe(201);
    expect(unnamed.headers.get('location')).toMatch(/^\/api\/sync\/uploads\/[0-9A-Z]{16}$/);
    const again = await request(`${server.url}/api/sync/uploads/${id}`, { method: 'HEAD', headers: who });
    expect([again.status, again.headers.get('upload-offset')]).toEqual([200, '1']);
  });
});

test('a muted server inside the process sends nothing, and its connection stays open', async () => {
  const server = new ScriptedServer();
  const { client } = await inside(server);
  server.mute = true;
  const receipt = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'into the dark' } });
  await receipt.saved;
  server.mute = false;
  server.cut();
  await receipt.accepted;
  expect(server.ledger.taken).toHaveLength(1);
});

/** An app with its server: it signs in, records a stop with its file over a cut connection, and prints the result. */
const appWithItsServer = `
import { createClient, MemoryStore } from '@tailgate/client-sdk';
import { driverPassword, sampleKey, ScriptedServer } from '@tailgate/client-sdk/testing';
import { fetchStack, MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';

async function work() {
  const server = new ScriptedServer();
  const { url, fetch, WebSocket } = server;
  const uploads = await openUploads({ store: new MemoryFiles(), httpStack: fetchStack(fetch) });
  const timing = { retryBaseMs: 20, retryCapMs: 200 };
  const client = await createClient({ url, fetch, WebSocket, store: new MemoryStore(), timing, uploads });
  const { kind } = await client.signIn({ employeeId: '1001', password: driverPassword });
  server.refuse = true;
  server.cut();
  const { id } = await uploads.add(new Blob(['signed']), { kind: 'signature' });
  const receipt = client.updateStop(sampleKey, { id: 1, updates: { status: 'D', signature_id: id } });
  await receipt.saved;
  server.refuse = false;
  await receipt.complete;
  server.host();
  await receipt.onHost;
  await client.close();
  return [kind, receipt.current.at, new TextDecoder().decode(server.files.get(id).bytes)].join(' ');
}
`;

test.each([
  ['page', `${appWithItsServer} globalThis.worked = work(); globalThis.ready = true;`, ''],
  [
    'worker',
    `globalThis.worked = new Promise((resolve, reject) => {
       const worker = new Worker('/worker.js', { type: 'module' });
       worker.onmessage = ({ data }) => resolve(data);
       worker.onerror = ({ message }) => reject(new Error(message));
     });
     globalThis.ready = true;`,
    `${appWithItsServer} self.postMessage(await work());`,
  ],
])('a scripted server runs inside a %s of Chromium', async (_where, page, worker) => {
  const address = await servePage(page, 'http://127.0.0.1:9', worker);
  const context = await (await startBrowser()).newContext();
  const opened = await openPage(context, address);
  expect(await opened.evaluate('globalThis.worked')).toBe('signed_in on_host signed');
  await context.close();
});
