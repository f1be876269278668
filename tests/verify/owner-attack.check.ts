import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { linkText } from '@tailgate/sync-protocol';
import { operations } from '../../server/src/http/operations.ts';
import { sha256 } from '../../server/src/mutations/item.ts';
import { cosign, checkpointText, readCheckpoint } from '../../server/src/tlog/format/checkpoint.ts';
import { leafHash } from '../../server/src/tlog/format/merkle.ts';
import { ED25519, keyText, noteText, signText } from '../../server/src/tlog/format/note.ts';
import { growTiles } from '../../server/src/tlog/format/tiles.ts';
import { openKeys, type LogKey } from '../../server/src/tlog/keys.ts';
import * as logSql from '../../server/src/tlog/log-sql.ts';
import { readNewest } from '../../server/src/tlog/read-log.ts';
import { parseWitness } from '../../server/src/tlog/witness-client.ts';
import { insertRoutes, plan } from '../support/mirror.ts';
import { operatorHeaders } from '../support/operators.ts';
import { startRestServer, type RestServer } from '../support/rest-server.ts';
import { TestQueue } from '../support/sealing.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WitnessProcess } from '../support/witness-process.ts';
import { bindQueue } from '../server/mutations/fixture.ts';
import { unzipped } from '../server/ops/unzipped.ts';
import { naiveRoot } from '../server/tlog/naive-tree.ts';
import { startWorker } from '../server/tlog/log-node.ts';

// The owner of the database has everything: rows, the key of the log, DATA_DIR. He rewrites a delivery of last week, and all
// that follows from it. Three parties outside notice: the holder of an old pack, the witness, and the verifier.

const key = { facility: 'F01', id: 'R100', week_end: '20261121' };
const log = { facility: 'F01', generation: 1 };
const ofStop = 'facility=F01&route_id=R100&week_end=20261121&stop_id=1';
const program = join(import.meta.dirname, '../../server/verify/src/cli.ts');

let server: RestServer;
let mary: Record<string, string>;
let witness: WitnessProcess;
let logKey: LogKey;
let folder: string;
/** Files of a third party, from before the attack. */
let oldPack: string;
let kept: string;
let trusted: string;

/** The program as a third party runs it. */
const verifier = (...args: string[]): Promise<{ readonly code: number; readonly text: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=source', program, ...args], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr }),
    );
  });

async function pack(name: string): Promise<string> {
  const answer = await fetch(`${server.client.url}/api/ops/evidence?${ofStop}`, { headers: mary });
  expect(answer.status).toBe(200);
  return keep(name, Buffer.from(await answer.arrayBuffer()));
}

async function keep(name: string, content: string | Buffer): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

const checkpoint = async (): Promise<string> => (await readNewest(server.database.pool, log)) ?? '';
/** The checkpoint has the signature of the log and that of the witness. */
const untilWitnessed = () =>
  vi.waitFor(async () => expect((await checkpoint()).split('\n— ')).toHaveLength(3), { timeout: 20_000 });
const chain = () => server.client.take(operations.verifyStopHistory, { headers: mary, query: `?${ofStop}` });

beforeAll(async () => {
  folder = await temporaryFolder();
  const dataDir = await temporaryFolder();
  const logKeys = await openKeys({ dataDir, logKeyFile: undefined });
  const [own] = await logKeys();
  if (!own) throw new Error('a first start makes a key');
  logKey = own;
  server = await startRestServer({ logKeys });
  const { pool } = server.database;
  await insertRoutes(pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1), plan(2)] },
  ]);
  mary = await operatorHeaders(server, 'repair', 'MARYB');
  const publicKey = keyText({ name: 'pod.example.com/log/*', algorithm: ED25519, key: own.public });
  witness = await WitnessProcess.create([publicKey]);
  await witness.start();
  const [witnessKey = '', url = ''] = witness.setting.split(/@(?=http)/);
  const worker = await startWorker(server, { dataDir, cosigners: [parseWitness({ key: witnessKey, url })] });

  const phone = new TestQueue();
  const edit = (updates: object) => phone.seal('stop.update', { route: key, stop: { id: 1, updates } });
  await server.pipeline.push(await bindQueue(server.database, phone, '1001'), [
    edit({ status: 'D', store_emp_name: 'Ana Gil' }),
    edit({ driver_comments: 'two cases are damaged' }),
    edit({ driver_comments: 'two cases are damaged, the store has photos' }),
  ]);
  await worker.pass();
  await untilWitnessed();
  oldPack = await pack('evidence-of-november.zip');
  kept = await keep('checkpoint-of-november.txt', await checkpoint());
  const named = keyText({ name: 'pod.example.com/log/F01', algorithm: ED25519, key: own.public });
  trusted = await keep('trusted.txt', `log ${named}\nwitness outside ${witnessKey}\nquorum any\n`);
});

/** Rewrites a body, its hash and all later links; then the leaves, the tree and the checkpoint that follow. */
async function rewrite(): Promise<void> {
  const { pool } = server.database;
  const { rows } = await pool.query<{ id: string; seq: number; body: string }>(
    `select id, seq, body from ledger where facility = 'F01' order by seq`,
  );
  let link: Buffer | null = null;
  for (const { id, seq, body } of rows) {
    const text = body.replaceAll('are damaged', 'are whole');
    const hash = sha256(text);
    await pool.query('update ledger set body = $2, hash = $3, prev_hash = $4 where id = $1', [id, text, hash, link]);
    link = sha256(linkText(hash.toString('base64url'), link?.toString('base64url') ?? null, seq));
  }
  await pool.query(
    `update log_leaf f set entry = replace(replace(f.entry, f.entry::jsonb->>'hash', encode(l.hash, 'hex')),
                                           coalesce(f.entry::jsonb->>'prev_hash', 'no link'), coalesce(encode(l.prev_hash, 'hex'), ''))
       from ledger l where f.kind = 'mutation' and f.source = l.id::text`,
  );
  const leaves = await pool.query<{ entry: string }>(
    `select entry from log_leaf where facility = 'F01' order by leaf_index`,
  );
  const entries = leaves.rows.map(({ entry }) => Buffer.from(entry));
  const tiles = growTiles(0, new Map(), entries.map(leafHash));
  await pool.query(logSql.saveTiles, ['F01', 1, ...logSql.saveTiles.parameters(tiles)]);
  const origin = 'pod.example.com/log/F01';
  const text = checkpointText({ origin, size: entries.length, root: naiveRoot(entries) });
  // He cannot sign for the witness, so he shows a witness of his own.
  const note = noteText({
    text,
    signatures: [
      signText(text, origin, logKey.private),
      cosign(text, 'witness.example.org/w2', logKey.private, new Date('2026-11-24T08:00:00Z')),
    ],
  });
  await pool.query('delete from log_cosignature');
  await pool.query('delete from log_checkpoint');
  await pool.query(
    `insert into log_checkpoint (facility, generation, size, signed_at, note) values ('F01', 1, $1, now(), $2)`,
    [entries.length, note],
  );
}

test('before the attack the pack is proven', async () => {
  const { code, text } = await verifier(oldPack, '--trust', trusted, '--checkpoint', kept);
  expect(text).toContain('Proven: the pack is intact');
  const words = String(unzipped(await readFile(oldPack)).get('VERIFY.txt'));
  expect(words).toContain('and so does the signature of an outside witness.');
  expect(words).not.toContain('No outside witness');
  expect(code).toBe(0);
  expect(await chain()).toMatchObject({ intact: true, whole: true });
});

test('the owner rewrites a delivery and all behind it: his own server finds nothing', async () => {
  await rewrite();
  expect(await chain()).toMatchObject({ intact: true, whole: true });
  expect((await chain()).links).toHaveLength(3);
});

test('the new pack is tampered for who kept a checkpoint, and never proven for who did not', async () => {
  const forged = await pack('evidence-of-the-owner.zip');
  const alone = await verifier(forged, '--trust', trusted);
  expect(alone.code).toBe(3);
  expect(alone.text).not.toMatch(/contradicts/);
  const { code, text } = await verifier(forged, '--trust', trusted, '--checkpoint', kept);
  expect(code).toBe(1);
  expect(text).toMatch(/contradicts this pack/);
});

test('the old pack is still proven, and contradicts the checkpoint that the server serves now', async () => {
  expect((await verifier(oldPack, '--trust', trusted, '--checkpoint', kept)).code).toBe(0);
  const served = await keep('checkpoint-of-now.txt', await checkpoint());
  const { code, text } = await verifier(oldPack, '--trust', trusted, '--checkpoint', served);
  expect(code).toBe(1);
  expect(text).toMatch(/contradicts this pack/);
});

test('the witness signs no second history, and names the fork', async () => {
  const note = await checkpoint();
  const { size } = readCheckpoint(note).checkpoint;
  const answer = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body: `old ${size}\n\n${note}` });
  expect(answer.status).toBe(409);
  await vi.waitFor(() =>
    expect(witness.output).toContain(`fork: pod.example.com/log/F01 has signed two roots of size ${size}`),
  );
  const newest = await (
    await fetch(`${witness.url}/checkpoint/${encodeURIComponent('pod.example.com/log/F01')}`)
  ).text();
  expect(newest).not.toBe(note);
});
