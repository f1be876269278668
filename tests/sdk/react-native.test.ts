import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import { runLikeHermes } from '../support/react-native.ts';
import { startSyncNode } from '../support/sync-node.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { download } from '../support/uploads.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const here = join(root, 'tests/sdk');

const driver = `
import * as Crypto from 'expo-crypto';
import { openDatabaseAsync } from 'expo-sqlite';
import { MemoryStore } from '@tailgate/client-sdk';
import { labelOf } from '@tailgate/client-sdk/labels';
import { changePassword } from '@tailgate/client-sdk/passwords';
import { recordLoadReport } from '@tailgate/client-sdk/reports';
import { exportQueues, importQueue } from '@tailgate/client-sdk/rescue';
import { expoSqlite, openSqlite } from '@tailgate/client-sdk/sqlite';
import { openTailgate } from 'the recipe';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };

async function work() {
  const { client, uploads } = await openTailgate(url);
  const { kind } = await client.signIn({ employeeId: '1001', password });
  if (kind !== 'signed_in') throw new Error(kind);
  const photo = await uploads.add({ uri }, { kind: 'photo', name: 'door.jpg' });
  const signature = await uploads.add(new Uint8Array([1, 2, 3]), { kind: 'signature' });
  const paper = await uploads.add(new Blob(['a paper']), { kind: 'document' });
  const updates = { status: 'D', driver_comments: 'h\u00e9llo \ud83d\ude9a', signature_id: signature.id };
  await client.updateStop(key, { id: 1, updates }).complete;
  await Promise.all([photo, paper].map(({ id }) => uploads.here(id)));
  const whoWhen = { reportId: 'LR1', loadId: 'L1', stopId: '1', driverId: '1001', capturedAt: new Date().toISOString() };
  const sections = [{ key: 'stacking', rating: 2, comment: 'leans', photos_id: photo.id }];
  await recordLoadReport(client, { ...whoWhen, sections }).accepted;
  const { server } = await client.diagnostics();
  const change = { employeeId: '1001', currentPassword: password, newPassword: password + ' again' };
  const changed = await changePassword({ url }, change);
  const last = client.updateStop(key, { id: 1, updates: { driver_comments: 'on a phone that breaks' } });
  await last.saved;
  await client.close();
  const store = await openSqlite(expoSqlite(() => openDatabaseAsync('tailgate.db')));
  const sha256 = async (text) => new Uint8Array(await Crypto.digest('SHA-256', new TextEncoder().encode(text)));
  const queues = await exportQueues(store, { sha256 });
  await store.close();
  for (const queue of queues) await importQueue(new MemoryStore(), queue, { sha256 });
  const ids = [photo, signature, paper].map(({ id }) => id);
  return JSON.stringify({ ids, server, changed: changed.kind, rescued: queues.length, label: labelOf('updates.signature_id') });
}

globalThis.result = work();
`;
const result = z.object({
  ids: z.tuple([z.string(), z.string(), z.string()]),
  server: z.string(),
  changed: z.string(),
  rescued: z.number(),
});
const manifest = z.object({ exports: z.record(z.string(), z.unknown()) });

/** The recipe of the README, and the platform's modules. */
const recipe: Plugin = {
  name: 'the recipe for React Native',
  setup(bundler) {
    bundler.onResolve({ filter: /^(expo-|react-native$|the recipe$)/ }, ({ path }) => ({ path, namespace: 'recipe' }));
    bundler.onLoad({ filter: /./, namespace: 'recipe' }, async ({ path }) => {
      if (path !== 'the recipe') return { contents: `module.exports = expo['${path}']` };
      const readme = await readFile(join(root, 'client-sdk/README.md'), 'utf8');
      return { contents: /```js tailgate\.js\n([^]*?)```/.exec(readme)?.[1] ?? '', resolveDir: here };
    });
  },
};

/** Bundles as Metro resolves packages: without Node's conditions and without Node's files. */
async function bundleLikeMetro(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: here },
    bundle: true,
    platform: 'browser',
    conditions: ['source'],
    plugins: [recipe],
    external: ['react', 'react/jsx-runtime'],
    format: 'cjs',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('\n');
}

test.each([
  ['over a socket', {}],
  ['in a network that blocks sockets', { WebSocket: undefined }],
])(
  'the recipe records a stop, files and a report without the functions that Hermes lacks: %s',
  async (_network, globals) => {
    const node = await startSyncNode();
    const route = { facility: 'F01', id: 'R1', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] };
    await insertRoutes(node.database.pool, [route]);
    await signUp(node.client, '1001');
    const folder = await temporaryFolder();
    const uri = join(folder, 'door.jpg');
    const picture = Buffer.concat([
      Buffer.from('4000 3000'.padEnd(20)),
      Buffer.alloc(900_000, 'a tree before a house '),
    ]);
    await writeFile(uri, picture);

    const program = await bundleLikeMetro(driver);
    const { url } = node.client;
    const done = await runLikeHermes(program, folder, { module: {}, url, password, uri, ...globals });
    const { ids, server, changed, rescued } = result.parse(JSON.parse(String(done)));
    const [photo, signature, paper] = ids;
    expect([server, changed, rescued]).toEqual([url, 'done', 1]);
    const smaller = (await download(node.client, photo)).bytes;
    expect(smaller.toString('latin1', 0, 20)).toBe('1920 1440'.padEnd(20));
    expect(smaller.subarray(20).equals(picture.subarray(20, smaller.length))).toBe(true);
    expect((await download(node.client, signature)).bytes).toEqual(Buffer.from([1, 2, 3]));
    expect((await download(node.client, paper)).bytes).toEqual(Buffer.from('a paper'));
  },
);

test.each([
  ['sha256', 'random: { bytes: () => new Uint8Array(16), fraction: Math.random }'],
  ['random', 'sha256: async () => new Uint8Array(32)'],
])('a client without WebCrypto and the option %s raises a clear error on opening', async (_missing, given) => {
  const program = await bundleLikeMetro(`
    import { createClient, MemoryStore } from '@tailgate/client-sdk';
    globalThis.result = createClient({ url: 'http://127.0.0.1:9', store: new MemoryStore(), ${given} });
  `);
  const opening = runLikeHermes(program, await temporaryFolder(), { module: {} });
  await expect(opening).rejects.toThrow('no WebCrypto: use https, or the options sha256 and random');
});

test('a Hermes compiler accepts every entry of the SDK', async () => {
  const { exports } = manifest.parse(JSON.parse(await readFile(join(root, 'client-sdk/package.json'), 'utf8')));
  const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'));
  const bundle = await bundleLikeMetro(
    entries.map((entry, n) => `export * as e${n} from '@tailgate/client-sdk${entry.slice(1)}';`).join('\n'),
  );
  const file = join(await temporaryFolder(), 'bundle.js');
  await writeFile(file, bundle);
  await expect(run(hermesCompiler(), ['-w', '-emit-binary', '-out', `${file}.hbc`, file])).resolves.toBeDefined();
});

test('the SHA-256 in JavaScript equals that of the platform for any split of the bytes', async () => {
  const { ScriptSha256 } = await import('../../client-sdk/src/uploads/sha256.ts');
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) % 256);
    const hash = new ScriptSha256();
    for (let at = 0, step = 1; at < length; at += step++) hash.update(bytes.subarray(at, at + step));
    expect(Buffer.from(hash.digest()).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});

/** From the npm package, which contains a compiler for each system. */
function hermesCompiler(): string {
  const folder = join(createRequire(import.meta.url).resolve('hermes-compiler/package.json'), '../hermesc');
  const systems: Readonly<Record<string, string>> = {
    linux: 'linux64-bin/hermesc',
    darwin: 'osx-bin/hermesc',
    win32: 'win64-bin/hermesc.exe',
  };
  const found = systems[process.platform];
  if (found === undefined) throw new Error(`hermes-compiler has no program for ${process.platform}`);
  return join(folder, found);
}
