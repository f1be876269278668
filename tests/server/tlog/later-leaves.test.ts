import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { applyRetention } from '../../../server/src/ops/retention/retention.ts';
import { readCheckpoint } from '../../../server/src/tlog/format/checkpoint.ts';
import { isIncluded } from '../../../server/src/tlog/format/verify.ts';
import { proveFact } from '../../../server/src/tlog/read-log.ts';
import { auditLog, leafOf } from './audited-log.ts';
import { key, leavesOf, parse, record, startNode, type LogNode } from './log-node.ts';

const confirm = (node: LogNode, stop: number, sequence: number, trace: string, at = new Date()) =>
  node.server.database.pool.query(
    `insert into host_shadow (facility, route_id, week_end, stop_id, sequence, rows, confirmed_at) values ('F01', 'R100', '20261121', $1, $2, $3, $4)
     on conflict (facility, route_id, week_end, stop_id)
     do update set sequence = excluded.sequence, rows = excluded.rows, confirmed_at = excluded.confirmed_at`,
    [stop, sequence, JSON.stringify({ files: { RTSTUP: { columns: ['RUTRC'], rows: [[trace]] } } }), at],
  );

test('each confirmation of the host is a leaf with its stop, version, sequence and trace', async () => {
  const node = await startNode();
  await record(node);
  const at = new Date();
  await confirm(node, 1, 10_000_000_002, '0A1B2C3D4E5F', at);
  // The header of the route has a shadow of its own, and no stop.
  await confirm(node, -1, 10_000_000_002, '');
  await (await node.sequencer()).pass();
  const confirmations = async () =>
    (await leavesOf(node)).filter(({ kind }) => kind === 'host').map(({ entry }) => parse(entry));
  expect(await confirmations()).toEqual([
    {
      kind: 'host',
      id: 'R100/20261121/1/10000000002',
      at: at.toISOString(),
      route: 'R100',
      week_end: '20261121',
      stop: 1,
      version: 2,
      sequence: 10_000_000_002,
      trace: '0A1B2C3D4E5F',
    },
  ]);

  // A stop that was parked is confirmed later, with a lower sequence than that of its neighbour.
  await confirm(node, 1, 10_000_000_009, '0A1B2C3D4E60');
  await confirm(node, 2, 10_000_000_003, '0A1B2C3D4E61');
  await (await node.sequencer()).pass();
  await (await node.sequencer()).pass();
  expect((await confirmations()).map(({ sequence }) => Number(sequence)).toSorted((a, b) => a - b)).toEqual([
    10_000_000_002, 10_000_000_003, 10_000_000_009,
  ]);
  const audited = await auditLog(node.server.client, 'F01');
  expect(audited.leaves).toEqual((await leavesOf(node)).map(({ entry }) => leafOf(entry)));
});

test('a confirmation reaches the log by the notification of its route', async () => {
  const node = await startNode();
  const sequencer = await node.sequencer();
  await sequencer.start();
  await confirm(node, 1, 10_000_000_002, '0A1B2C3D4E5F');
  await node.server.database.pool.query(`select pg_notify('tailgate_routes', 'route:F01:R100:20261121')`);
  await expect.poll(async () => (await leavesOf(node)).map(({ kind }) => kind), { timeout: 60_000 }).toEqual(['host']);
  await sequencer.stop();
});

test('an erased body still proves: who has kept its text shows that the log has its hash', async () => {
  const node = await startNode();
  const { pool } = node.server.database;
  await record(node);
  await (await node.sequencer()).pass();
  const [kept] = (await pool.query<{ id: string; body: string }>('select id, body from ledger')).rows;
  await pool.query(`update route set status = 'C', closed_at = now(), hosted_through = version where id = 'R100'`);
  const clock = () => new Date(Date.now() + 100 * 86_400_000);
  const forEver = { routes: undefined, files: undefined, mails: undefined, incidents: undefined, acts: undefined };
  await applyRetention({ db: pool, retention: { ...forEver, ledger: 90 }, clock, log: node.server.log });
  expect((await pool.query('select from ledger')).rowCount).toBe(0);
  await record(node, key, 2);
  await (await node.sequencer()).pass();

  const proven = await proveFact(pool, 'F01', { kind: 'mutation', source: kept?.id ?? '' });
  const sha256 = createHash('sha256')
    .update(kept?.body ?? '')
    .digest('hex');
  expect(parse(proven?.entry ?? '')).toMatchObject({ id: kept?.id, hash: sha256 });
  // The name of the driver opens no more.
  expect(proven?.salt).toBeNull();
  const [head = '', note = ''] = proven?.proof.split(/\n\n(.*)/s) ?? [];
  const [, index = '', ...path] = head.split('\n');
  const hashes = path.map((line) => Buffer.from(line, 'base64'));
  const leaf = Buffer.from(leafOf(proven?.entry ?? ''), 'base64');
  expect(isIncluded(leaf, Number(index.replace('index ', '')), hashes, readCheckpoint(note).checkpoint)).toBe(true);
  const erased = (await leavesOf(node)).find(({ kind }) => kind === 'erased');
  expect(parse(erased?.entry ?? '')).toMatchObject({ fact: 'mutation', ids: [kept?.id], rule: 'ledger 90 days' });
});
