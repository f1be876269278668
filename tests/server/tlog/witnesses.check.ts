import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { backUp } from '../../system/database-backup.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { WitnessProcess } from '../../support/witness-process.ts';
import { checkpointText, cosign, cosignedAt, readCheckpoint } from '../../../server/src/tlog/format/checkpoint.ts';
import { COSIGNATURE, ED25519, keyText, noteText, publicBytes } from '../../../server/src/tlog/format/note.ts';
import { openKeys } from '../../../server/src/tlog/keys.ts';
import { proveFact } from '../../../server/src/tlog/read-log.ts';
import { parseWitness, type Witness } from '../../../server/src/tlog/witness-client.ts';
import { ensureEpoch } from '../../../server/src/db/epoch.ts';
import { declareRestored } from '../../../server/src/ops/restore/restored.ts';
import { auditLog } from './audited-log.ts';
import { leavesOf, parse, record, startNode, startWorker, type LogNode, type LogWorker } from './log-node.ts';

/** A server and a witness that knows its logs. */
interface Witnessed {
  readonly node: LogNode;
  readonly witness: WitnessProcess;
  readonly cosigner: Witness;
  readonly worker: (dataDir?: string) => Promise<LogWorker>;
}

async function startWitnessed(): Promise<Witnessed> {
  const node = await startNode();
  const witness = await WitnessProcess.create([await logsOf(node.dataDir)]);
  await witness.start();
  const [key = '', url = ''] = witness.setting.split(/@(?=http)/);
  const cosigner = parseWitness({ key, url });
  const worker = (dataDir = node.dataDir) => startWorker(node.server, { dataDir, cosigners: [cosigner] });
  return { node, witness, cosigner, worker };
}

/** The line of WITNESS_LOGS for all logs of a server. */
async function logsOf(dataDir: string): Promise<string> {
  const [key] = await (await openKeys({ dataDir, logKeyFile: undefined }))();
  return keyText({ name: 'pod.example.com/log/*', algorithm: ED25519, key: key?.public ?? Buffer.alloc(0) });
}

/** The sizes of the served checkpoint, and whether the witness has signed it. */
async function served({ node, cosigner }: Witnessed, name = 'F01') {
  const { note, size, root } = await auditLog(node.server.client, name);
  return { size, root, isWitnessed: isWitnessed(note, cosigner) };
}

function isWitnessed(message: string, { key }: Witness): boolean {
  const { note } = readCheckpoint(message);
  const own = note.signatures.filter(({ name }) => name === key.name);
  return own.length === 1 && own.every((signature) => cosignedAt(key, note.text, signature) !== undefined);
}

async function seenBy(witness: WitnessProcess, origin: string): Promise<number | undefined> {
  const answer = await fetch(`${witness.url}/checkpoint/${encodeURIComponent(origin)}`);
  const text = await answer.text();
  return answer.status === 200 ? readCheckpoint(text).checkpoint.size : undefined;
}

const untilWitnessed = (all: Witnessed, size: number, name = 'F01') =>
  vi.waitFor(async () => expect(await served(all, name)).toMatchObject({ size, isWitnessed: true }), {
    timeout: 60_000,
    interval: 20,
  });

const incidentsOf = async ({ server }: LogNode): Promise<Record<string, unknown>[]> => {
  const { rows } = await server.database.pool.query<{ kind: string; details: string }>(
    `select kind, details from incident order by at`,
  );
  return rows.map(({ kind, details }) => ({ kind, ...parse(details) }));
};

const origin = 'pod.example.com/log/F01';

describe('a witnessed log', () => {
  let all: Witnessed;
  let worker: LogWorker;

  beforeAll(async () => {
    all = await startWitnessed();
    worker = await all.worker();
  });

  test('serves its newest checkpoint with the signature of the witness', async () => {
    await record(all.node);
    await worker.pass();
    await untilWitnessed(all, 1);
    await record(all.node);
    await record(all.node);
    await worker.pass();
    await untilWitnessed(all, 3);
    expect(await seenBy(all.witness, origin)).toBe(3);
    expect(new Set(worker.outcomes)).toEqual(new Set(['signed']));
    const [, second] = await leavesOf(all.node);
    const proven = await proveFact(all.node.server.database.pool, 'F01', {
      kind: 'mutation',
      source: second?.source ?? '',
    });
    expect(isWitnessed(proven?.proof.split(/\n\n(.*)/s)[1] ?? '', all.cosigner)).toBe(true);
  });

  test('does not wait for a witness that is away, and is signed when it comes back', async () => {
    await all.witness.kill9();
    const [first] = await leavesOf(all.node);
    await record(all.node);
    await worker.pass();
    expect(await served(all)).toMatchObject({ size: 4, isWitnessed: false });
    await vi.waitFor(() => expect(worker.outcomes).toContain('unreachable'), { timeout: 60_000 });
    // A fact that it has signed before is still proven under its signature.
    const proven = await proveFact(all.node.server.database.pool, 'F01', {
      kind: 'mutation',
      source: first?.source ?? '',
    });
    const covering = proven?.proof.split(/\n\n(.*)/s)[1] ?? '';
    expect([isWitnessed(covering, all.cosigner), readCheckpoint(covering).checkpoint.size]).toEqual([true, 3]);
    await all.witness.start();
    await untilWitnessed(all, 4);
    expect(await incidentsOf(all.node)).toEqual([]);
  });

  test('is signed by the next process where this one ended too early', async () => {
    await all.witness.kill9();
    const dying = await all.worker();
    await record(all.node);
    await dying.pass();
    await dying.witnesses.stop();
    await worker.witnesses.stop();
    await all.witness.start();
    worker = await all.worker();
    await untilWitnessed(all, 5);
    expect(await seenBy(all.witness, origin)).toBe(5);
  });

  test('goes on with two workers that do not know of each other', async () => {
    const second = await all.worker();
    for (let n = 0; n < 4; n++) {
      await record(all.node);
      await (n % 2 === 0 ? worker : second).pass();
    }
    await untilWitnessed(all, 9);
    expect(await incidentsOf(all.node)).toEqual([]);
  });

  test('that a witness does not know is one incident, and goes on', async () => {
    await all.witness.knowLogs([]);
    for (let n = 0; n < 2; n++) {
      await record(all.node);
      await worker.pass();
      await vi.waitFor(() => expect(worker.outcomes.filter((one) => one === 'refused').length).toBeGreaterThan(n), {
        timeout: 60_000,
      });
    }
    expect(await served(all)).toMatchObject({ size: 11, isWitnessed: false });
    const refused = { kind: 'log_refused', origin, reason: 'it does not know the log' };
    const incidents = (await incidentsOf(all.node)).filter((incident) => incident['kind'] === 'log_refused');
    expect(incidents.filter((incident) => incident['origin'] === origin)).toEqual([expect.objectContaining(refused)]);
    await all.witness.knowLogs([await logsOf(all.node.dataDir)]);
    await untilWitnessed(all, 11);
  });
});

describe('a server that was put back', () => {
  /** The witness has signed size 3; the database comes back with size 1, and `earlier` is DATA_DIR of that time. */
  async function restored() {
    const all = await startWitnessed();
    const { node } = all;
    await ensureEpoch(node.server.database.pool);
    const before = await all.worker();
    await record(node);
    await before.pass();
    await untilWitnessed(all, 1);
    const earlier = await temporaryFolder();
    await cp(node.dataDir, earlier, { recursive: true });
    const restore = await backUp(node.server.database);
    await record(node);
    await record(node);
    await before.pass();
    await untilWitnessed(all, 3);
    const lost = await auditLog(node.server.client, 'F01');
    await before.witnesses.stop();
    await restore();
    return { all, node, lost, earlier };
  }

  test('begins a new origin where it has lost its files, too: only the witness knows the log', async () => {
    const { all, node, lost } = await restored();
    const dataDir = await temporaryFolder();
    await cp(join(node.dataDir, 'keys'), join(dataDir, 'keys'), { recursive: true });
    const worker = await all.worker(dataDir);
    await record(node, undefined, 1, 'another history');
    await worker.pass();
    await untilWitnessed(all, 2, 'F01/2');
    expect((await auditLog(node.server.client, 'F01')).size).toBe(1);
    expect(await seenBy(all.witness, origin)).toBe(3);
    const epoch = (await leavesOf(node)).find(({ generation }) => generation === 2);
    expect(parse(epoch?.entry ?? '')).toMatchObject({
      kind: 'epoch',
      reason: 'the database is behind the newest checkpoint',
      former: { origin, size: 3, root: lost.root },
    });
    expect(await incidentsOf(node)).toEqual([
      expect.objectContaining({ kind: 'log_began_anew', origin: `${origin}/2` }),
    ]);

    // Put back once more, to a time before the new origin: the witness knows that one, too.
    await node.server.database.pool.query(
      `delete from log where generation = 2; delete from log_leaf where generation = 2;
       delete from log_checkpoint where generation = 2; update log set ended_at = null where facility = 'F01'`,
    );
    const again = await temporaryFolder();
    await cp(join(node.dataDir, 'keys'), join(again, 'keys'), { recursive: true });
    await (await all.worker(again)).pass();
    expect((await auditLog(node.server.client, 'F01/3')).size).toBeGreaterThan(0);
    expect(await seenBy(all.witness, `${origin}/2`)).toBe(2);
  });

  test('waits for its witness where it does not know the log itself', async () => {
    const { all, node } = await restored();
    await all.witness.kill9();
    const dataDir = await temporaryFolder();
    await cp(join(node.dataDir, 'keys'), join(dataDir, 'keys'), { recursive: true });
    const worker = await all.worker(dataDir);
    await record(node, undefined, 1, 'another history');
    const waits = worker.sequencer();
    for (let passes = 0; passes < 12; passes++) await waits.pass();
    expect(await incidentsOf(node)).toContainEqual({ kind: 'log_stalled', log: 'F01' });
    expect((await auditLog(node.server.client, 'F01')).size).toBe(1);
    await all.witness.start();
    await worker.pass();
    expect((await auditLog(node.server.client, 'F01')).size).toBe(1);
    await untilWitnessed(all, 2, 'F01/2');
  });

  /** The database lost the rows of these tables, and DATA_DIR its files. */
  const lose = async ({ server }: LogNode, where: string) => {
    for (const table of ['log_checkpoint', 'log_cosignature', 'log_key', 'log_tile', 'log_salt', 'log_leaf', 'log'])
      await server.database.pool.query(`delete from ${table} where ${where}`);
    return temporaryFolder();
  };
  const generations = async (node: LogNode) => new Set((await leavesOf(node)).map(({ generation }) => generation));

  test('knows a later generation by the key of an earlier one', async () => {
    const { all, node } = await restored();
    await declareRestored(node.server.database.pool, 'a disk failed');
    const worker = await all.worker();
    await record(node, undefined, 1, 'another history');
    await worker.pass();
    await untilWitnessed(all, 2, 'F01/2');
    await worker.witnesses.stop();
    // The database is older than the second generation, and the key is that of the database alone.
    const dataDir = await lose(node, 'generation = 2');
    await node.server.database.pool.query('update log set ended_at = null, epoch = 2');
    await (await all.worker(dataDir)).pass();
    expect(await generations(node)).toEqual(new Set([1, 3]));
  });

  test('whose key nobody has any more waits, and begins a later generation once that is announced', async () => {
    const { all, node } = await restored();
    const dataDir = await lose(node, 'true');
    await all.witness.knowLogs([await logsOf(dataDir)]);
    const worker = await all.worker(dataDir);
    await record(node, undefined, 1, 'another history');
    await worker.pass();
    expect(await leavesOf(node)).toEqual([]);
    await worker.witnesses.stop();

    await declareRestored(node.server.database.pool, 'log key lost');
    await (await all.worker(dataDir)).pass();
    expect(await generations(node)).toEqual(new Set([2]));
    await untilWitnessed(all, 3, 'F01/2');
    expect(await seenBy(all.witness, origin)).toBe(3);
  });

  test.each([
    ['less', 0, 'it has seen more of the log than this database'],
    ['more', 3, 'the log does not begin with the leaves that it has signed'],
    ['as much', 1, 'it has signed another history of the log'],
  ])('together with its files, and writes %s than the witness has seen, is refused', async (_size, facts, reason) => {
    const { all, node, earlier } = await restored();
    await all.witness.kill9();
    const worker = await all.worker(earlier);
    for (let n = 0; n < facts + 1; n++) await record(node, undefined, 1, `another history ${n}`);
    await worker.pass();
    expect((await auditLog(node.server.client, 'F01')).size).toBe(facts + 2);
    await all.witness.start();
    await vi.waitFor(() => expect(worker.outcomes).toContain('refused'), { timeout: 60_000 });
    expect(await incidentsOf(node)).toContainEqual(expect.objectContaining({ kind: 'log_refused', origin, reason }));

    await record(node, undefined, 2, 'after the refusal');
    await worker.pass();
    await untilWitnessed(all, 2, 'F01/2');
    expect(await seenBy(all.witness, origin)).toBe(3);
  });
});

/** A witness that answers each checkpoint with a refusal, and serves what its own key alone has signed. */
async function startImpostor(size: number): Promise<Witness> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const name = 'witness.example.org/w1';
  const impostor = createServer((request, response) => {
    const [, asked = ''] = /^\/checkpoint\/(.*)$/.exec(request.url ?? '') ?? [];
    request.resume();
    if (asked === '') return response.writeHead(422).end('no');
    const text = checkpointText({ origin: decodeURIComponent(asked), size, root: Buffer.alloc(32, 1) });
    return response.end(noteText({ text, signatures: [cosign(text, name, privateKey, new Date())] }));
  });
  impostor.listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  atFileEnd(async () => {
    impostor.close();
    impostor.closeAllConnections();
  });
  const address = impostor.address();
  if (address === null || typeof address === 'string') throw new Error('the witness has no port');
  const key = keyText({ name, algorithm: COSIGNATURE, key: publicBytes(privateKey) });
  return parseWitness({ key, url: `http://127.0.0.1:${address.port}` });
}

test('a witness that invents a checkpoint does not end the log: it is refused, and the log goes on', async () => {
  const node = await startNode();
  const before = await startWorker(node.server, { dataDir: node.dataDir });
  await record(node);
  await before.pass();
  await before.witnesses.stop();
  const worker = await startWorker(node.server, {
    dataDir: node.dataDir,
    cosigners: [await startImpostor(1_000_000_000_000_000)],
  });
  await vi.waitFor(() => expect(worker.outcomes).toContain('refused'), { timeout: 60_000 });
  await record(node);
  await worker.pass();
  expect((await auditLog(node.server.client, 'F01')).size).toBe(2);
  expect((await leavesOf(node)).map(({ generation, kind }) => [generation, kind])).toEqual([
    [1, 'mutation'],
    [1, 'mutation'],
  ]);
  const kinds = (await incidentsOf(node)).map((incident) => incident['kind']);
  expect(kinds).toContain('log_refused');
  expect(kinds).not.toContain('log_began_anew');
});

describe('the setting WITNESSES', () => {
  test('takes the key of a witness, not of a log', async () => {
    const key = await logsOf(await temporaryFolder());
    expect(() => parseWitness({ key, url: 'http://127.0.0.1:1' })).toThrow('WITNESSES: the key of');
  });
});
