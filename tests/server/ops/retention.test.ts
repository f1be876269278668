import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { findAsset } from '../../../server/src/assets/queries.ts';
import { applyRetention, isLimited, type Retention } from '../../../server/src/ops/retention/retention.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { logOf } from '../../support/whole-log.ts';

const forEver: Retention = {
  ledger: undefined,
  routes: undefined,
  files: undefined,
  mails: undefined,
  incidents: undefined,
  acts: undefined,
};
const now = new Date('2026-11-21T12:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

let database: TestDatabase;
const log = recordedLog();

let append: () => Promise<void>;

beforeAll(async () => {
  database = await createDatabase();
  append = await logOf(database.pool);
});

const sweep = (retention: Partial<Retention>) =>
  applyRetention({ db: database.pool, retention: { ...forEver, ...retention }, clock: () => now, log });
/** A sweep over facts that the log has. */
async function keep(retention: Partial<Retention>): Promise<void> {
  await append();
  await sweep(retention);
}
const names = async (statement: string, values: unknown[] = []): Promise<string[]> =>
  (await database.pool.query<{ name: string }>(statement, values)).rows.map(({ name }) => name);

interface Past {
  readonly id: string;
  readonly closed?: number;
  readonly withdrawn?: number;
  readonly behind?: boolean;
  readonly parked?: boolean;
  /** How many days ago its changes came. */
  readonly changes?: readonly number[];
}

async function addRoute({ id, closed, withdrawn, behind = false, parked = false, changes = [] }: Past): Promise<void> {
  const { pool } = database;
  await insertRoutes(pool, [{ facility: 'F01', id, weekEnd: '20260101', drivers: ['1001'], stops: [plan(1)] }]);
  await pool.query(
    `update route set status = case when $2::timestamptz is null then 'O' else 'C' end, closed_at = $2, withdrawn_at = $3,
            version = 2, hosted_through = $4 where id = $1`,
    [
      id,
      closed === undefined ? null : daysAgo(closed),
      withdrawn === undefined ? null : daysAgo(withdrawn),
      behind ? 1 : 2,
    ],
  );
  for (const days of changes)
    await pool.query(
      `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, hash, employee, edit_time, received_at, result, body)
       values ('F01', $1, $2, '20260101', 1, 2, 'rest', '', '1001', $3, $3, 'applied', '{}')`,
      [randomUUID(), id, daysAgo(days)],
    );
  if (parked)
    await pool.query(
      `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload, skipped_at)
       values ('F01', $1, '20260101', 1, 2, '22001', 'too long', '{}', now())`,
      [id],
    );
}

const changesOf = (pattern: string) =>
  names('select distinct route_id as name from ledger where route_id like $1 order by 1', [pattern]);

test('without a setting, nothing is deleted', async () => {
  expect(isLimited(forEver)).toBe(false);
  expect(isLimited({ ...forEver, mails: 90 })).toBe(true);
  await addRoute({ id: 'A1', closed: 9_000, withdrawn: 9_000, changes: [9_000] });
  await keep({});
  expect(await changesOf('A%')).toEqual(['A1']);
});

test('changes go with their time where the route is done with, and never before the host has all of the route, or a shadow is done with it', async () => {
  const old = { closed: 100, changes: [101] };
  await addRoute({ id: 'B1-done', ...old });
  await addRoute({ id: 'B2-gone', withdrawn: 100, changes: [101] });
  await addRoute({ id: 'B3-open', changes: [101] });
  await addRoute({ id: 'B4-new', closed: 10, changes: [101] });
  await addRoute({ id: 'B5-late', closed: 100, changes: [101, 10] });
  await addRoute({ id: 'B6-waits', ...old, behind: true });
  await addRoute({ id: 'B7-parked', ...old, parked: true });
  await addRoute({ id: 'B8-shadow', ...old, behind: true });
  await database.pool.query(`update route set shadow_through = 2 where id = 'B8-shadow'`);
  await keep({ ledger: 90 });
  expect(await changesOf('B%')).toEqual(['B3-open', 'B4-new', 'B5-late', 'B6-waits', 'B7-parked']);
  const { rowCount } = await database.pool.query(`select from ledger where route_id = 'B5-late'`);
  expect(rowCount).toBe(1);
});

test('one sweep deletes more than a batch', async () => {
  for (let n = 10; n < 35; n++) await addRoute({ id: `C${n}`, closed: 100, changes: [101, 102] });
  await keep({ ledger: 90 });
  expect(await changesOf('C%')).toEqual([]);
});

test('changes of a load report go when the host has it, whatever waits of other reports', async () => {
  const { pool } = database;
  const received = { R1: daysAgo(100), R2: daysAgo(101), R3: daysAgo(102) };
  for (const [id, at] of Object.entries(received)) {
    await pool.query(
      `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, hash, employee, edit_time, received_at, result, body)
       values ('', gen_random_uuid(), '', '', 0, 1, 'rest', '', '', $1, $1, 'applied', '{}')`,
      [at],
    );
    await pool.query(
      `insert into load_report_revision (report_id, revision, load_id, stop_id, driver_id, captured_at, received_at, doc)
       values ($1, 1, '', '', '', $2, $2, '{}')`,
      [id, at],
    );
  }
  await pool.query(
    `insert into load_report (report_id, version, hosted_version) values ('R1', 1, 0), ('R2', 1, 1), ('R3', 1, 0)`,
  );
  await pool.query(
    `insert into parked_row (file, key, version, sqlstate, reason, payload) values ('LCRHDP', 'R3', 1, '22001', '', '')`,
  );
  const kept = async () => {
    await keep({ ledger: 90 });
    return (
      await pool.query<{ at: Date }>(`select received_at as at from ledger where route_id = '' order by 1 desc`)
    ).rows.map(({ at }) => at);
  };
  expect(await kept()).toEqual([received.R1, received.R3]);
  await pool.query('update load_report set hosted_version = 1');
  expect(await kept()).toEqual([received.R3]);
  await pool.query(`delete from parked_row where key = 'R3'`);
  expect(await kept()).toEqual([]);
});

test('a route is deleted with its dependent rows once the host and retention have deleted it and its changes', async () => {
  await addRoute({ id: 'D1-gone', closed: 100, withdrawn: 100 });
  await addRoute({ id: 'D2-told', closed: 100, withdrawn: 100, changes: [101] });
  await addRoute({ id: 'D3-there', closed: 100 });
  await addRoute({ id: 'D4-waits', closed: 100, withdrawn: 100, behind: true });
  await keep({ routes: 90 });
  const left = ['D2-told', 'D3-there', 'D4-waits'];
  expect(await names(`select id as name from route where id like 'D%' order by 1`)).toEqual(left);
  for (const table of ['stop_plan', 'stop_result', 'route_driver'])
    expect(await names(`select route_id as name from ${table} where route_id like 'D%' order by 1`)).toEqual(left);
});

test('the bytes of a file are deleted once the host has them all; its row remains', async () => {
  const { pool } = database;
  const add = async (id: string, days: number, hosted: boolean): Promise<void> => {
    const content = randomUUID();
    await pool.query(`insert into asset_chunk (content, at, data) values ($1, 0, 'bytes')`, [content]);
    await pool.query(
      `insert into asset (id, batch, state, content, size, sha256, received_at, hosted_version)
       values ($1, $1, 'R', $2, 5, 'x', $3, $4)`,
      [id, content, daysAgo(days), hosted ? 1 : 0],
    );
  };
  await add('OLD', 100, true);
  await add('NEW', 10, true);
  await add('UNHOSTED', 100, false);
  await add('REFUSED', 100, true);
  await pool.query(
    `insert into parked_row (file, key, version, sqlstate, reason, payload) values ('ASSHDP', 'REFUSED', 1, '22001', 'no', '{}')`,
  );
  await keep({ files: 90 });
  expect(
    await names(
      'select a.id as name from asset a where exists (select from asset_chunk c where c.content = a.content) order by 1',
    ),
  ).toEqual(['NEW', 'REFUSED', 'UNHOSTED']);
  expect(await findAsset(pool, 'OLD')).toBeUndefined();
  expect(await findAsset(pool, 'NEW')).toMatchObject({ size: 5 });
  expect(await names(`select encode(sha256, 'escape') as name from asset where id = 'OLD'`)).toEqual(['x']);
});

test('mails, acknowledged incidents and settled entries are deleted at their age', async () => {
  const { pool } = database;
  await pool.query(`insert into mail_sent (facility, mutation_id, sent_at) values ('F01', gen_random_uuid(), $1)`, [
    daysAgo(100),
  ]);
  await pool.query(`insert into mail_sent (facility, mutation_id, sent_at) values ('F02', gen_random_uuid(), $1)`, [
    daysAgo(10),
  ]);
  const proof = `insert into proof_mail (facility, mail_id, route_id, week_end, stop_id, address, by, asked_at)
                 values ($1, gen_random_uuid(), 'R1', '20261121', 1, 'a@b.example', 'MARYB', $2)`;
  await pool.query(proof, ['F01', daysAgo(100)]);
  await pool.query(proof, ['F02', daysAgo(10)]);
  const incident = `insert into incident (incident_id, at, kind, acknowledged_at) values (gen_random_uuid(), $1, $2, $3)`;
  await pool.query(incident, [daysAgo(200), 'nobody has seen it', null]);
  await pool.query(incident, [daysAgo(200), 'seen of late', daysAgo(10)]);
  await pool.query(incident, [daysAgo(200), 'seen long ago', daysAgo(100)]);
  const kept = `insert into quarantine (quarantine_id, id, hash, employee, name, code, reason, body, received_at, state, resolved_at)
                values (gen_random_uuid(), gen_random_uuid(), '', '1001', 'x', 'X', $1, '', $2, $3, $4)`;
  await pool.query(kept, ['waits', daysAgo(200), 'open', null]);
  await pool.query(kept, ['settled', daysAgo(200), 'dismissed', daysAgo(100)]);
  await keep({ mails: 90, incidents: 90 });
  expect(await names('select facility as name from mail_sent')).toEqual(['F02']);
  expect(await names('select facility as name from proof_mail')).toEqual(['F02']);
  expect(await names('select kind as name from incident order by 1')).toEqual(['nobody has seen it', 'seen of late']);
  expect(await names('select reason as name from quarantine')).toEqual(['waits']);
});

test('acts of the office are deleted by their age', async () => {
  for (const days of [40, 30])
    await database.pool.query(
      `insert into operator_act (act_id, at, by, act, subject_kind, subject, reason)
       values (gen_random_uuid(), $1, 'MARYB', 'skipParked', 'parked', $2, 'booked by hand')`,
      [daysAgo(days), `${days} days`],
    );
  await keep({ acts: 35 });
  expect(await names('select subject as name from operator_act')).toEqual(['30 days']);
});

test('nothing goes before it has a leaf under a signed checkpoint; each deletion is a leaf, and the salts go with it', async () => {
  const { pool } = database;
  await pool.query('truncate ledger, mail_sent, incident, operator_act, asset, asset_chunk, erased_fact');
  await addRoute({ id: 'L1', closed: 100, changes: [101, 102] });
  await pool.query(`insert into mail_sent values ('F01', gen_random_uuid(), $1)`, [daysAgo(100)]);
  await pool.query(
    `insert into incident (incident_id, at, kind, acknowledged_at) values (gen_random_uuid(), $1, 'host_drift', $1)`,
    [daysAgo(100)],
  );
  await pool.query(
    `insert into operator_act (act_id, at, by, act, subject_kind, subject, reason)
     values (gen_random_uuid(), $1, 'MARYB', 'skipParked', 'parked', 'p', 'by hand')`,
    [daysAgo(100)],
  );
  const content = randomUUID();
  await pool.query(`insert into asset_chunk (content, at, data) values ($1, 0, 'bytes')`, [content]);
  await pool.query(
    `insert into asset (id, batch, state, content, size, sha256, received_at, hosted_version)
     values ('LOGGED0000000001', 'LOGGED0000000001', 'R', $1, 5, 'x', $2, 1)`,
    [content, daysAgo(100)],
  );
  const facts = `select kind || ' ' || source as name from (
      select 'mutation' as kind, id::text as source from ledger union all select 'mail', mutation_id::text from mail_sent
       union all select 'incident', incident_id::text from incident union all select 'act', act_id::text from operator_act
       union all select 'file', id from asset where purged_at is null) f order by 1`;
  const all = await names(facts);
  expect(all).toHaveLength(6);
  const days = { ledger: 90, files: 90, mails: 90, incidents: 90, acts: 90 };
  await sweep(days);
  expect(await names(facts)).toEqual(all);

  await append();
  const saltsOf = (of: readonly string[]) =>
    names(
      `select f.kind || ' ' || f.source as name from log_leaf f join log_salt s using (facility, generation, leaf_index)
        where f.kind || ' ' || f.source = any ($1) order by 1`,
      [of],
    );
  expect(await saltsOf(all)).toHaveLength(4);
  await sweep(days);
  expect(await names(facts)).toEqual([]);
  expect(await saltsOf(all)).toEqual([]);
  expect(await names('select kind as name from erased_fact order by 1')).toHaveLength(5);

  await append();
  const erased = await names(
    `select (entry::jsonb->>'fact') || ' ' || jsonb_array_elements_text(entry::jsonb->'ids') as name
       from log_leaf where kind = 'erased' order by 1`,
  );
  expect(erased.filter((name) => all.includes(name))).toEqual(all);
  expect(
    await names(
      `select distinct entry::jsonb->>'rule' as name from log_leaf where kind = 'erased' and entry like '%LOGGED%'`,
    ),
  ).toEqual(['files 90 days']);
  await sweep(days);
  expect(await names('select kind as name from erased_fact')).toEqual([]);
});
