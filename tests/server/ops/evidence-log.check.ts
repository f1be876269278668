import { beforeAll, describe, expect, test } from 'vitest';
import { openKeys, type ReadKeys } from '../../../server/src/tlog/keys.ts';
import { NewestCheckpoints } from '../../../server/src/tlog/newest-checkpoints.ts';
import { listKeys } from '../../../server/src/tlog/read-log.ts';
import { Sequencer } from '../../../server/src/tlog/sequencer.ts';
import { logMembers } from '../../../server/verify/src/format.ts';
import { readElsewhere } from '../../../server/verify/src/log/proof.ts';
import { readTrust } from '../../../server/verify/src/log/trust.ts';
import { nodeTools } from '../../../server/verify/src/node-tools.ts';
import type { Settings, Verification } from '../../../server/verify/src/verify-pack.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { signUp } from '../../support/people.ts';
import { restChange } from '../../support/rest-change.ts';
import { startRestServer, type RestServer } from '../../support/rest-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { storeFiles } from '../../support/uploads.ts';
import { found, statesOf, verify } from '../../verify/packs.ts';
import { unzipped } from './unzipped.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261121' };
const ofStop = 'facility=F01&route_id=R100&week_end=20261121&stop_id=1';

let server: RestServer;
/** Appends everything that is committed. */
let appendAll: () => Promise<void>;
let mary: Record<string, string>;
let trust: NonNullable<Settings['trust']>;

const checkpoint = async (): Promise<string> => {
  const { rows } = await server.database.pool.query<{ note: string }>(
    `select note from log_checkpoint where facility = 'F01' order by size desc limit 1`,
  );
  return rows[0]?.note ?? '';
};
const record = (updates: object) => server.pipeline.submit(restChange(key, { id: 1, updates }, '1001'));

async function pack(query = ofStop): Promise<Buffer> {
  const answer = await fetch(`${server.client.url}/api/ops/evidence?${query}`, { headers: mary });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}
const check = (bytes: Buffer, more: Partial<Settings> = {}): Promise<Verification> =>
  verify(bytes, 65_536, { trust, ...more });

beforeAll(async () => {
  const dataDir = await temporaryFolder();
  const logKeys: ReadKeys = await openKeys({ dataDir, logKeyFile: undefined });
  server = await startRestServer({ logKeys });
  const { database, listener, log } = server;
  await insertRoutes(database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1), plan(2)] },
  ]);
  const [signature = ''] = await storeFiles(server.client, {
    files: [{ name: 'signed.png', bytes: Buffer.from('signed') }],
    as: await signUp(server.client, '1001'),
  });
  await record({ status: 'D', store_emp_name: 'Sam', signature_id: signature });
  await record({ driver_comments: 'side door' });
  await database.pool.query(
    `insert into operator_act (act_id, by, act, subject_kind, subject, facility, route_id, week_end, stop_id, reason)
     values (gen_random_uuid(), 'MARYB', 'retryParked', 'parked', 'p1', 'F01', 'R100', '20261121', 1, 'store called')`,
  );
  mary = await operatorHeaders(server, 'repair', 'MARYB');
  const newest = await NewestCheckpoints.open(dataDir);
  const options = { db: database.pool, listener, keys: logKeys, newest, host: 'pod.example.com', log };
  appendAll = () => new Sequencer({ ...options, clock: () => new Date() }).pass();
  await appendAll();
  trust = await readTrust((await listKeys(database.pool)).map((each) => each.key).join('\n'), nodeTools);
});

describe('a pack of a server with a log', () => {
  test('proves each change, file and act, and is sealed by the key of the log', async () => {
    const bytes = await pack();
    const members = unzipped(bytes);
    const kinds = [...members.keys()].flatMap((name) => /^log\/([a-z]+)-/.exec(name)?.[1] ?? []);
    expect(kinds.toSorted()).toEqual(['act', 'file', 'mutation', 'mutation']);
    const verification = await check(bytes);
    expect(statesOf(verification)).toMatchObject({ seal: 'passed', log: 'passed', witness: 'absent', gaps: 'passed' });
    expect(verification.checks.find(({ check: name }) => name === 'log')).toMatchObject({
      count: 4,
      findings: ['F01', 'service'].map((log) => ({ code: 'signed-as', about: `pod.example.com/log/${log}` })),
    });
    expect(verification.outcome).toBe('unsigned');
    expect(String(members.get('VERIFY.txt'))).toContain('No outside witness had signed');
  });

  test('without names proves the same and opens no commitment', async () => {
    const bytes = await pack(`${ofStop}&without=names`);
    expect(statesOf(await check(bytes))).toMatchObject({ seal: 'passed', log: 'passed' });
    expect(String(unzipped(bytes).get(logMembers.leaves))).not.toMatch(/"salt":"/);
  });

  test('is equal to another of the same checkpoint', async () => {
    const [one, two] = [await pack(), await pack()];
    expect(one.equals(two)).toBe(true);
  });

  test('of an earlier day fits the checkpoint that somebody stored then', async () => {
    const before = await pack();
    const kept = await checkpoint();
    await record({ driver_comments: 'back door' });
    expect(found(await check(await pack()), 'log')).toContain('unproven');
    await appendAll();
    const after = await pack();
    expect(statesOf(await check(after))['log']).toBe('passed');
    // The checkpoint that the first pack had is among those from which the second one proves the growth.
    const elsewhere = readElsewhere(kept);
    if (!elsewhere) throw new Error('the server keeps a checkpoint');
    const later = await check(after, { elsewhere });
    expect(statesOf(later)['elsewhere']).toBe('open');
    expect(found(later, 'elsewhere')).toEqual(['elsewhere-before', 'elsewhere-silent']);
    expect(statesOf(await check(before, { elsewhere }))['elsewhere']).toBe('passed');
  });

  test('names what the owner of the database rewrites', async () => {
    const { pool } = server.database;
    await pool.query(`update ledger set employee = '1002' where facility = 'F01'`);
    const verification = await check(await pack());
    expect(verification.outcome).toBe('tampered');
    expect(new Set(found(verification, 'log'))).toEqual(new Set(['leaf-differs']));
    await pool.query(`delete from log_salt where facility = 'F01'`);
    const unsalted = await check(await pack());
    expect(statesOf(unsalted)['log']).toBe('open');
    expect(new Set(found(unsalted, 'log'))).toEqual(new Set(['unopened', 'signed-as']));
    expect(statesOf(await check(await pack(`${ofStop}&without=names`)))['log']).toBe('passed');
    await pool.query(`update ledger set employee = '1001' where facility = 'F01'`);
    await pool.query(`update log_leaf set entry = replace(entry, '"version":', '"version": ') where kind = 'mutation'`);
    expect(found(await check(await pack()), 'log')).toContain('proof');
  });
});

test('a server without the key seals nothing', async () => {
  const api = await startRestServer({ database: server.database });
  const headers = await operatorHeaders(api, 'repair', 'JOHND');
  const answer = await fetch(`${api.client.url}/api/ops/evidence?${ofStop}`, { headers });
  const members = unzipped(Buffer.from(await answer.arrayBuffer()));
  expect([...members.keys()].at(-1)).toBe('SHA256SUMS');
  expect(members.has(logMembers.keys)).toBe(true);
  expect(String(members.get('VERIFY.txt'))).toContain('This pack has no seal.');
});
