import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { signUp } from '../../support/people.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { restChange } from '../../support/rest-change.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { storeFiles } from '../../support/uploads.ts';
import { isConsistent, isIncluded } from '../../../server/src/tlog/format/verify.ts';
import { parseAddCheckpoint, readCheckpoint } from '../../../server/src/tlog/format/checkpoint.ts';
import { keyFileIn, openKeys, rotateKey } from '../../../server/src/tlog/keys.ts';
import { NewestCheckpoints } from '../../../server/src/tlog/newest-checkpoints.ts';
import { parseKey } from '../../../server/src/tlog/format/note.ts';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { proveFact } from '../../../server/src/tlog/read-log.ts';
import { backUp } from '../../system/database-backup.ts';
import * as factStatements from '../../../server/src/tlog/facts-sql.ts';
import { auditLog, keysOf, leafOf } from './audited-log.ts';
import { key, leavesOf, other, parse, record, startNode, type LogNode } from './log-node.ts';

describe('a log', () => {
  let node: LogNode;

  beforeAll(async () => {
    node = await startNode();
  });

  test('has one leaf for each committed fact, under a signed root that an auditor computes alike', async () => {
    const { server } = node;
    await record(node, key, 1, 'first');
    await record(node, key, 2, 'second');
    await record(node, other);
    const change = restChange(key, { id: 1, updates: { driver_comments: 'first' } }, '1001', {
      dedupeByContent: false,
    });
    await server.pipeline.submit({ ...change, editTime: new Date(0) });
    const [file = ''] = await storeFiles(server.client, {
      files: [{ name: 'dock.jpg', bytes: Buffer.from('a photo') }],
      as: await signUp(server.client, '1001'),
    });
    await server.database.pool.query(
      `insert into operator_act (act_id, by, act, subject_kind, subject, facility, route_id, week_end, stop_id, reason)
       values (gen_random_uuid(), 'MARYB', 'retryParked', 'parked', 'p1', 'F01', 'R100', '20261121', 1, 'store called'),
              (gen_random_uuid(), 'MARYB', 'createOperator', 'operator', 'JOHND', null, null, null, null, 'new clerk')`,
    );
    await server.database.pool.query(`insert into mail_sent values ('F01', gen_random_uuid(), now())`);
    const sequencer = await node.sequencer();
    await sequencer.pass();

    const leaves = await leavesOf(node);
    expect(leaves.map(({ kind }) => kind).toSorted()).toEqual(['act', 'mail', 'mutation', 'mutation', 'mutation']);
    const { rows: ledger } = await server.database.pool.query<{ id: string; hash: Buffer }>(
      `select id, hash from ledger where facility = 'F01'`,
    );
    const hashes = new Map(leaves.map(({ source, entry }) => [source, parse(entry)['hash']]));
    expect(ledger.map(({ id }) => hashes.get(id))).toEqual(ledger.map(({ hash }) => hash.toString('hex')));

    const audited = await auditLog(server.client, 'F01');
    expect(audited).toMatchObject({ origin: 'pod.example.com/log/F01', size: 5 });
    expect(audited.leaves).toEqual(leaves.map(({ entry }) => leafOf(entry)));
    expect(audited.signers).toHaveLength(1);
    expect(await auditLog(server.client, 'F02')).toMatchObject({ origin: 'pod.example.com/log/F02', size: 1 });

    const service = await leavesOf(node, '');
    expect(service.map(({ kind }) => kind).toSorted()).toEqual(['act', 'file']);
    const photo = service.find(({ kind }) => kind === 'file');
    expect(photo).toMatchObject({ source: file });
    const sha256 = createHash('sha256').update('a photo').digest('hex');
    expect(parse(photo?.entry ?? '')).toMatchObject({ sha256, size: 7 });
    expect((await auditLog(server.client, 'service')).leaves).toEqual(service.map(({ entry }) => leafOf(entry)));
  });

  test('keeps its origin where the address of the server changes, and grows under it', async () => {
    const moved = () => node.sequencer({ host: 'other.example.com' });
    await record(node);
    await (await moved()).pass();
    const grown = await auditLog(node.server.client, 'F01');
    expect(grown).toMatchObject({ origin: 'pod.example.com/log/F01', size: 6 });
    // A log that begins later has the new address.
    const { pool } = node.server.database;
    await pool.query(`insert into mail_sent values ('F03', gen_random_uuid(), now())`);
    await (await moved()).pass();
    expect((await auditLog(node.server.client, 'F03')).origin).toBe('other.example.com/log/F03');
    await (await node.sequencer()).pass();
    expect(await auditLog(node.server.client, 'F01')).toEqual(grown);
    const origins = (await keysOf(node.server.client)).map(({ origin }) => origin);
    expect(origins.filter((origin) => origin.endsWith('/F01'))).toEqual(['pod.example.com/log/F01']);
  });

  test('shows no name and no reason, and the salt opens what it committed to', async () => {
    const all = [...(await leavesOf(node)), ...(await leavesOf(node, ''))];
    const texts = all.map(({ entry }) => entry).join('\n');
    for (const personal of ['1001"', 'MARYB', 'JOHND', 'store called', 'new clerk', 'first'])
      expect(texts).not.toContain(`"${personal}`);
    const mutation = all.find(({ kind }) => kind === 'mutation');
    const committed = createHash('sha256')
      .update(mutation?.salt ?? '')
      .update('employee\u00001001')
      .digest('hex');
    expect(parse(mutation?.entry ?? '')['committed']).toEqual({ employee: committed });
  });

  test('appends nothing twice, whichever workers pass at the same time', async () => {
    const before = (await leavesOf(node)).length;
    for (let n = 0; n < 6; n++) await record(node, key, 1 + (n % 2));
    const workers = await Promise.all([node.sequencer({ limit: 2 }), node.sequencer({ limit: 3 })]);
    await Promise.all(workers.map((worker) => worker.pass()));
    await Promise.all(workers.map((worker) => worker.pass()));
    const leaves = await leavesOf(node);
    expect(leaves).toHaveLength(before + 6);
    expect((await auditLog(node.server.client, 'F01')).leaves).toEqual(leaves.map(({ entry }) => leafOf(entry)));
  });

  test('appends by itself soon after a commit', async () => {
    const before = (await leavesOf(node)).length;
    const sequencer = await node.sequencer();
    await sequencer.start();
    await record(node);
    await vi.waitFor(async () => expect(await leavesOf(node)).toHaveLength(before + 1), {
      timeout: 60_000,
      interval: 50,
    });
    await sequencer.stop();
  });

  test('proves each fact offline, against its newest checkpoint', async () => {
    const { pool } = node.server.database;
    for (const { kind, source, entry } of await leavesOf(node)) {
      if (kind !== 'mutation' && kind !== 'act' && kind !== 'mail') throw new Error(`unexpected ${kind}`);
      const proven = await proveFact(pool, 'F01', { kind, source });
      expect(proven?.entry).toBe(entry);
      const [head = '', note = ''] = proven?.proof.split(/\n\n(.*)/s) ?? [];
      const [version, index = '', ...path] = head.split('\n');
      expect(version).toBe('c2sp.org/tlog-proof@v1');
      const leaf = Buffer.from(leafOf(entry), 'base64');
      const hashes = path.map((line) => Buffer.from(line, 'base64'));
      const { checkpoint } = readCheckpoint(note);
      expect(isIncluded(leaf, Number(index.replace('index ', '')), hashes, checkpoint)).toBe(true);
    }
    expect(await proveFact(pool, 'F01', { kind: 'mutation', source: 'none' })).toBeUndefined();
  });

  test('gives its newest checkpoint with the proof that it has grown from an earlier one', async () => {
    const get = async (path: string) => {
      const answer = await fetch(`${node.server.client.url}/log/F01/checkpoint${path}`);
      return [answer.status, await answer.text()] as const;
    };
    const [, before] = await get('');
    const { checkpoint: earlier } = readCheckpoint(before);
    await record(node);
    await (await node.sequencer()).pass();
    const [status, grown] = await get(`?old=${earlier.size}`);
    expect(status).toBe(200);
    const { oldSize, proof, checkpoint: note } = parseAddCheckpoint(grown);
    expect([oldSize, note]).toEqual([earlier.size, (await get(''))[1]]);
    const later = readCheckpoint(note).checkpoint;
    expect(later.size).toBe(earlier.size + 1);
    expect(isConsistent(earlier, later, proof)).toBe(true);
    expect((await get(`?old=${later.size + 1}`))[0]).toBe(404);
    for (const wrong of ['0', '-1', 'x', '', '1&old=2']) {
      const [refused, why] = await get(`?old=${wrong}`);
      expect([wrong, refused, parse(why)['message']]).toEqual([wrong, 400, expect.stringContaining('old')]);
    }
  });

  test('marks a fact that it received late', async () => {
    const { pool } = node.server.database;
    await pool.query(`insert into mail_sent values ('F02', gen_random_uuid(), now() - interval '2 days')`);
    await (await node.sequencer()).pass();
    const mail = (await leavesOf(node, 'F02')).find(({ kind }) => kind === 'mail');
    expect(parse(mail?.entry ?? '')).toMatchObject({ backfilled: true });
    const [change] = await leavesOf(node, 'F02');
    expect(parse(change?.entry ?? '')).not.toHaveProperty('backfilled');
  });

  test('finds facts by its index, also where PostgreSQL has never counted its leaves', async () => {
    const { pool } = node.server.database;
    for (const { text } of Object.values(factStatements)) {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`);
      const lines = rows.map((row) => row['QUERY PLAN']);
      expect(lines.filter((line) => /Anti Join|Seq Scan on log_leaf/.test(line))).toEqual([]);
    }
  });

  test('serves hashes only, and nothing below any other address', async () => {
    const get = async (path: string) => {
      const { status, headers } = await fetch(`${node.server.client.url}/log/${path}`);
      return [status, headers.get('content-type'), headers.get('cache-control')];
    };
    expect(await get('F01/tile/0/000.p/1')).toEqual([
      200,
      'application/octet-stream',
      expect.stringContaining('immutable'),
    ]);
    const { size } = await auditLog(node.server.client, 'F01');
    for (const path of [
      `F01/tile/0/000.p/${size + 1}`,
      'F01/tile/0/000',
      'F01/tile/0/001.p/1',
      'F01/tile/1/000.p/1',
      'F01/tile/0/0',
      'F01/tile/entries/000.p/1',
      'F01/2/checkpoint',
      'F01/0/checkpoint',
      'F01/x/checkpoint',
      'F99/checkpoint',
      'F01',
      '',
    ])
      expect([path, (await get(path))[0]]).toEqual([path, 404]);
  });
});

describe('keys of a log', () => {
  test('are made once, readable by the owner alone, and change under the signature of the former one', async () => {
    const node = await startNode();
    const file = keyFileIn({ dataDir: node.dataDir, logKeyFile: undefined });
    await record(node);
    await (await node.sequencer()).pass();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [first] = await keysOf(node.server.client);

    await rotateKey(file);
    await record(node);
    await (await node.sequencer()).pass();
    const changed = await auditLog(node.server.client, 'F01');
    const [, second] = (await keysOf(node.server.client)).filter(({ origin }) => origin.endsWith('F01'));
    expect(changed.signers).toEqual([first?.key, second?.key]);
    expect(second?.from_size).toBe(changed.size);
    const named = (await leavesOf(node)).find(({ kind }) => kind === 'key');
    expect(named?.source).toBe(second?.key);

    await record(node);
    await (await node.sequencer()).pass();
    expect((await auditLog(node.server.client, 'F01')).signers).toEqual([second?.key]);
    expect((await readFile(file, 'utf8')).match(/BEGIN PRIVATE KEY/g)).toHaveLength(2);
  });

  test('are printed for auditors and witnesses', async () => {
    const node = await startNode();
    const keyFile = keyFileIn({ dataDir: node.dataDir, logKeyFile: undefined });
    await record(node);
    await (await node.sequencer()).pass();
    const options = { autocloseSeconds: 600, keyFile, publicUrl: 'https://pod.example.com/x' };
    const text = await runOpsCommand(parseOpsCommand(['log', 'keys']), node.server.database.pool, options);
    const [all = '', ...each] = text.split('\n').filter((line) => line.startsWith('pod.'));
    const [served, service] = await keysOf(node.server.client);
    expect(each.toSorted()).toEqual([`${served?.key} 0`, ...(service ? [`${service.key} 0`] : [])].toSorted());
    const [any, one] = [parseKey(all), parseKey(served?.key ?? '')];
    expect(any).toMatchObject({ name: 'pod.example.com/log/*', key: one.key });
  });

  test('of another server sign nothing, and the office has one incident for each log', async () => {
    const node = await startNode();
    await record(node);
    await (await node.sequencer()).pass();
    const before = await auditLog(node.server.client, 'F01');
    await record(node);
    const log = recordedLog();
    const stranger = await node.sequencer({ dataDir: await temporaryFolder(), log });
    await stranger.pass();
    await stranger.pass();
    expect(await auditLog(node.server.client, 'F01')).toEqual(before);
    expect(log.lines.filter(({ message }) => message.includes('LOG_KEY_FILE'))).toHaveLength(1);
    // As after a restart of the worker.
    await (await node.sequencer({ dataDir: await temporaryFolder() })).pass();
    const { rows } = await node.server.database.pool.query<{ details: string }>(
      `select details from incident where kind = 'log_without_key'`,
    );
    expect(rows.map(({ details }) => parse(details))).toEqual([
      { log: 'F01', reason: 'this server lacks the key of the log pod.example.com/log/F01' },
    ]);
  });

  test('in a file without one end the start with the name of the setting', async () => {
    const file = join(import.meta.dirname, 'go-vectors.json');
    await expect(openKeys({ dataDir: '', logKeyFile: file })).rejects.toThrow(
      'LOG_KEY_FILE: the file has no private key',
    );
    await expect(openKeys({ dataDir: '', logKeyFile: `${file}.none` })).rejects.toThrow('cannot be read');
  });
});

describe('a restored database', () => {
  /** The log as others know it: it grows after the backup, and the database comes back without that. */
  async function restored(): Promise<{ node: LogNode; lost: Awaited<ReturnType<typeof auditLog>> }> {
    const node = await startNode();
    await record(node);
    await (await node.sequencer()).pass();
    const restore = await backUp(node.server.database);
    await record(node);
    await record(node, key, 2);
    await (await node.sequencer()).pass();
    const lost = await auditLog(node.server.client, 'F01');
    expect(lost.size).toBe(3);
    await restore();
    return { node, lost };
  }

  test('never forks its log: a new origin begins, and names the last checkpoint of the former', async () => {
    const { node, lost } = await restored();
    // At once, before any fact.
    await (await node.sequencer()).pass();
    expect(await auditLog(node.server.client, 'F01/2')).toMatchObject({ size: 1 });
    await record(node, key, 1, 'another history');
    await (await node.sequencer()).pass();

    const old = await auditLog(node.server.client, 'F01');
    expect(old.size).toBe(1);
    expect(lost.leaves.slice(0, 1)).toEqual(old.leaves);
    const next = await auditLog(node.server.client, 'F01/2');
    expect(next).toMatchObject({ origin: 'pod.example.com/log/F01/2', size: 2 });
    expect(next.signers).toHaveLength(1);
    const epoch = (await leavesOf(node)).find(({ generation }) => generation === 2);
    expect(epoch?.kind).toBe('epoch');
    expect(parse(epoch?.entry ?? '')).toMatchObject({
      reason: 'the database is behind the newest checkpoint',
      former: { origin: lost.origin, size: lost.size, root: lost.root },
    });
    const incidents = await node.server.database.pool.query(`select from incident where kind = 'log_began_anew'`);
    expect(incidents.rowCount).toBe(1);

    // It stays there: no later pass begins a third one, and the former log never grows.
    await record(node);
    await (await node.sequencer()).pass();
    expect(await auditLog(node.server.client, 'F01')).toEqual(old);
    expect((await auditLog(node.server.client, 'F01/2')).size).toBe(3);
  });

  test('begins a new origin in a new epoch of the server, also where DATA_DIR is lost, with a new key', async () => {
    const { node } = await restored();
    const { pool } = node.server.database;
    await pool.query(
      `insert into server_epoch (epoch, cluster, timeline, reason) values (1, 'c', 1, 'first'), (2, 'c', 1, 'restored')`,
    );
    await record(node);
    await (await node.sequencer({ dataDir: await temporaryFolder() })).pass();
    const next = await auditLog(node.server.client, 'F01/2');
    expect(next.size).toBe(2);
    const keys = (await keysOf(node.server.client)).filter(({ origin }) => origin.includes('/F01'));
    expect(keys.map(({ origin }) => origin)).toEqual(['pod.example.com/log/F01', 'pod.example.com/log/F01/2']);
    expect(next.signers).toEqual([keys[1]?.key]);
  });

  test('whose owner has rewritten a leaf does not continue the log', async () => {
    const node = await startNode();
    await record(node);
    await record(node, key, 2);
    await (await node.sequencer()).pass();
    await node.server.database.pool.query(
      `update log_tile set hashes = set_byte(hashes, 3, (get_byte(hashes, 3) + 1) % 256) where facility = 'F01'`,
    );
    await record(node);
    await (await node.sequencer()).pass();
    const epoch = (await leavesOf(node)).find(({ generation }) => generation === 2);
    expect(parse(epoch?.entry ?? '')).toMatchObject({ reason: 'the database differs from the newest checkpoint' });
  });

  test('is not noticed from a damaged file, so the start ends', async () => {
    const node = await startNode();
    await record(node);
    await (await node.sequencer()).pass();
    await writeFile(join(node.dataDir, 'log-checkpoints.json'), '{');
    await expect(NewestCheckpoints.open(node.dataDir)).rejects.toThrow('is damaged');
  });
});
