import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../server/src/http/operations.ts';
import { firstDecision } from '../../../server/src/ops/contract.ts';
import { savePlans } from '../../../server/src/replication/from-host/import-sql.ts';
import { applyRetention, type Retention } from '../../../server/src/ops/retention/retention.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';
import { logOf } from '../../support/whole-log.ts';
import { unzipped } from './unzipped.ts';

const { listActs, listLegalHolds, placeLegalHold, releaseLegalHold } = operations;
const route = { facility: 'F01', route_id: 'R100', week_end: '20261121' };
const now = new Date('2026-11-24T08:00:00Z');
const parsePack: (text: string) => { readonly stops: readonly { readonly holds: readonly object[] }[] } = JSON.parse;
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
/** Everything is too old. */
const retention: Retention = { ledger: 90, routes: 90, files: 90, mails: 90, incidents: 90, acts: 90 };
const photo = 'PHOTO00000000001';
const replaced = 'PHOTO00000000002';
const foreign = 'PHOTO00000000003';

let server: RestServer;
let append: () => Promise<void>;
let mary: Record<string, string>;
let chief: Record<string, string>;
let lee: Record<string, string>;

beforeAll(async () => {
  server = await startRestServer({ access: 'strict' });
  append = await logOf(server.database.pool);
  mary = await operatorHeaders(server, 'repair', 'MARYB');
  chief = await operatorHeaders(server, 'admin', 'CHIEF');
  lee = await operatorHeaders(server, 'admin', 'LEE');
});
beforeEach(async () => {
  server.clock.now = now;
  const { pool } = server.database;
  await pool.query('truncate legal_hold, ledger, mail_sent, proof_mail, operator_act, asset, asset_chunk, quarantine');
  await pool.query(`truncate route, stop_plan, stop_result, route_driver`);
  const stops = [plan(1), plan(2)];
  await insertRoutes(pool, [{ facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops }]);
  await pool.query(
    `update route set status = 'C', closed_at = $1, withdrawn_at = $1, version = 2, hosted_through = 2 where id = 'R100'`,
    [daysAgo(100)],
  );
});

/** A delivered stop of long ago: a change that names a file, its mail, a proof, an act, a dismissed change. */
async function past(stop: number, files: { readonly now: string; readonly before: string }): Promise<void> {
  const { pool } = server.database;
  const [change, proof] = [randomUUID(), randomUUID()];
  const at = daysAgo(100);
  await pool.query(`update stop_result set doc = $2 where facility = 'F01' and route_id = 'R100' and stop_id = $1`, [
    stop,
    JSON.stringify({ id: stop, status: 'D', updates: { signature_id: files.now } }),
  ]);
  await pool.query(
    `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, hash, employee, edit_time, received_at, result, body)
     values ('F01', $1, 'R100', '20261121', $2, 2, 'rest', '', '1001', $3, $3, 'applied', $4)`,
    [change, stop, at, JSON.stringify({ args: { stop: { updates: { signature_id: files.before } } } })],
  );
  await pool.query(`insert into mail_sent values ('F01', $1, $2), ('F01', $3, $2)`, [change, at, proof]);
  await pool.query(
    `insert into proof_mail (facility, mail_id, route_id, week_end, stop_id, address, by, asked_at)
     values ('F01', $1, 'R100', '20261121', $2, 'a@b.example', 'MARYB', $3)`,
    [proof, stop, at],
  );
  await pool.query(
    `insert into operator_act (act_id, at, by, act, subject_kind, subject, facility, route_id, week_end, stop_id, reason)
     values (gen_random_uuid(), $2, 'MARYB', 'skipParked', 'parked', $1::text, 'F01', 'R100', '20261121', $1::int, 'by hand')`,
    [stop, at],
  );
  await pool.query(
    `insert into quarantine (quarantine_id, id, hash, employee, name, code, reason, body, received_at, state, resolved_at,
                             facility, route_id, week_end, stop_id)
     values (gen_random_uuid(), gen_random_uuid(), '', '1001', 'x', 'X', 'x', '', $2, 'dismissed', $2, 'F01', 'R100', '20261121', $1)`,
    [stop, at],
  );
  for (const id of Object.values(files)) await keepFile(id);
}

async function keepFile(id: string): Promise<void> {
  const content = randomUUID();
  const { pool } = server.database;
  await pool.query(`insert into asset_chunk (content, at, data) values ($1, 0, 'bytes')`, [content]);
  await pool.query(
    `insert into asset (id, batch, state, content, size, sha256, received_at, hosted_version)
     values ($1, $1, 'R', $2, 5, 'x', $3, 1) on conflict do nothing`,
    [id, content, daysAgo(100)],
  );
}

async function sweep(): Promise<void> {
  await append();
  await applyRetention({ db: server.database.pool, retention, clock: () => now, log: recordedLog() });
}

/** The stops whose records are left, by table, and the files with their bytes. */
async function left(): Promise<Record<string, string>> {
  const { rows } = await server.database.pool.query<Record<string, string>>(
    `select (select coalesce(string_agg(stop_id::text, ' ' order by stop_id), '') from ledger) as changes,
            (select coalesce(string_agg(p.stop_id::text, ' ' order by p.stop_id), '') from proof_mail p) as proofs,
            (select count(*)::text from mail_sent) as mails,
            (select coalesce(string_agg(stop_id::text, ' ' order by stop_id), '') from operator_act where act = 'skipParked') as acts,
            (select coalesce(string_agg(stop_id::text, ' ' order by stop_id), '') from quarantine) as kept,
            (select coalesce(string_agg(id, ' ' order by id), '') from route where facility = 'F01') as routes,
            (select coalesce(string_agg(right(id, 1), ' ' order by id), '') from asset where purged_at is null) as files`,
  );
  return rows[0] ?? {};
}

const place = (scope: object, body: object = {}) =>
  server.client.take(placeLegalHold, { headers: mary, body: { reason: 'claim 4711', scope, ...body } });
const refusal = async (scope: object, body: object = {}) => {
  const answer = await server.client.call(placeLegalHold, { headers: mary, body: { reason: 'claim', scope, ...body } });
  return [answer.error?.code, JSON.stringify(answer.error?.details ?? '')].join(' ');
};
const list = (query = '') => server.client.take(listLegalHolds, { headers: mary, query });
const release = (id: string, headers = chief, body: object = {}) =>
  server.client.call(releaseLegalHold, {
    headers,
    params: { legal_hold_id: id },
    body: { reason: 'the claim is settled', ...body },
  });

describe('retention', () => {
  beforeEach(async () => {
    await past(1, { now: photo, before: replaced });
    await past(2, { now: foreign, before: foreign });
  });
  const nothing = { changes: '', proofs: '', mails: '0', acts: '', kept: '', routes: '', files: '' };
  const all = { changes: '1 2', proofs: '1 2', mails: '4', acts: '1 2', kept: '1 2', routes: 'R100', files: '1 2 3' };
  const ofFirst = { changes: '1', proofs: '1', mails: '2', acts: '1', kept: '1', routes: 'R100', files: '1 2' };

  test('deletes all of it without a hold', async () => {
    expect(await left()).toEqual(all);
    await sweep();
    await sweep();
    expect(await left()).toEqual(nothing);
  });

  test('keeps the records of a held stop, the files that it names or has named, and its route', async () => {
    const { pool } = server.database;
    // The object of each file is named after it.
    await pool.query('update asset set object = id');
    await place({ ...route, stop_id: 1 });
    await sweep();
    expect(await left()).toEqual(ofFirst);
    const { rows } = await pool.query<{ object: string }>('select object from asset_gone_object');
    expect(rows.map(({ object }) => object)).toEqual([foreign]);
  });

  test('keeps a file that only a dismissed change of a held stop has named, whatever its bytes are', async () => {
    const dismissed = 'PHOTO00000000004';
    await keepFile(dismissed);
    await server.database.pool.query(`update quarantine set body = $1 where stop_id = 1`, [
      Buffer.concat([Buffer.from(`{"file":"${dismissed}"} `), Buffer.of(0, 0xff, 0x5c)]),
    ]);
    await place({ ...route, stop_id: 1 });
    await sweep();
    expect(await left()).toEqual({ ...ofFirst, files: '1 2 4' });
  });

  test('keeps those of a held route', async () => {
    await place(route);
    await sweep();
    expect(await left()).toEqual(all);
  });

  test('keeps those of the stops of a held customer', async () => {
    await place({ facility: 'F01', customer: 'C1' });
    await sweep();
    expect(await left()).toEqual(ofFirst);
  });

  test('keeps those of a stop that the host has given to another customer', async () => {
    await place({ facility: 'F01', customer: 'C1' });
    const { customer, ...rest } = plan(1);
    const changed = {
      ...{ stop: 1, doc: JSON.stringify({ ...rest, customer }), lines: '', invoices: '[]', sequence: 1, eta: '' },
      ...{ customer: { ...customer, id: 'C9' }, customerSince: now, linesSince: null },
    };
    const key = ['F01', 'R100', '20261121', 3];
    for (let n = 0; n < 2; n++)
      await server.database.pool.query(savePlans, [...key, ...savePlans.parameters([changed])]);
    await sweep();
    expect(await left()).toEqual(ofFirst);
    expect(await list('?facility=F01&route_id=R100&week_end=20261121&stop_id=1')).toHaveLength(1);
    const { rows } = await server.database.pool.query('select former_customers from stop_plan where stop_id = 1');
    expect(rows).toEqual([{ former_customers: ['C1'] }]);
  });

  test('a hold ends at its time', async () => {
    await place({ ...route, stop_id: 1 }, { until: '2026-11-24T09:00:00Z' });
    await sweep();
    expect(await left()).toEqual(ofFirst);
    await server.database.pool.query(`update legal_hold set until = $1`, [now]);
    await sweep();
    await sweep();
    expect(await left()).toEqual(nothing);
  });

  test('deletes them after the release', async () => {
    const { legal_hold_id: id } = await place(route);
    expect((await release(id)).error).toBeUndefined();
    await sweep();
    await sweep();
    expect(await left()).toEqual(nothing);
  });

  test('held routes do not keep a sweep from the other ones', async () => {
    const { pool } = server.database;
    for (let n = 10; n < 40; n++) {
      await insertRoutes(pool, [
        { facility: 'F01', id: `R${n}`, weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] },
      ]);
      await pool.query(
        `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, hash, employee, edit_time, received_at, result, body)
         values ('F01', gen_random_uuid(), $1, '20261121', 1, 2, 'rest', '', '1001', $2, $2, 'applied', '{}')`,
        [`R${n}`, daysAgo(100)],
      );
      if (n < 35) await place({ ...route, route_id: `R${n}` });
    }
    await pool.query(
      `update route set status = 'C', closed_at = $1, version = 2, hosted_through = 2 where facility = 'F01'`,
      [daysAgo(100)],
    );
    await sweep();
    const { rows } = await pool.query<{ id: string }>('select distinct route_id as id from ledger order by 1');
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 25 }, (_, n) => `R${n + 10}`));
  });
});

describe('legal holds', () => {
  test('are listed by the route and the stop that they cover', async () => {
    const stop = await place({ ...route, stop_id: 1 });
    const whole = await place(route);
    const customer = await place({ facility: 'F01', customer: 'C2' });
    expect(stop).toEqual({
      legal_hold_id: stop.legal_hold_id,
      ...route,
      stop_id: 1,
      customer: null,
      reason: 'claim 4711',
      placed_at: now.toISOString(),
      placed_by: 'MARYB',
      until: null,
      released_at: null,
      released_by: null,
    });
    const ids = async (query: string) => (await list(query)).map(({ legal_hold_id: id }) => id).toSorted();
    const idsOf = (...holds: { legal_hold_id: string }[]) => holds.map(({ legal_hold_id: id }) => id).toSorted();
    const ofRoute = '?facility=F01&route_id=R100&week_end=20261121';
    expect(await ids('')).toEqual(idsOf(stop, whole, customer));
    expect(await ids('?facility=F01')).toEqual(idsOf(stop, whole, customer));
    expect(await ids('?facility=F02')).toEqual([]);
    expect(await ids(ofRoute)).toEqual(idsOf(stop, whole, customer));
    expect(await ids(`${ofRoute}&stop_id=1`)).toEqual(idsOf(stop, whole));
    expect(await ids(`${ofRoute}&stop_id=2`)).toEqual(idsOf(whole, customer));
    expect(await ids('?facility=F01&route_id=R100&week_end=20261128')).toEqual([]);
    for (const wrong of ['?route_id=R100&week_end=20261121', '?facility=F01&route_id=R100', '?facility=F01&stop_id=1'])
      expect((await server.client.call(listLegalHolds, { headers: mary, query: wrong })).error?.code).toBe(
        'VALIDATION_FAILED',
      );
  });

  test('names what is wrong with a scope', async () => {
    expect(await refusal({ facility: 'F01' })).toMatch(
      /VALIDATION_FAILED.*scope\.route_id.*required without a customer/,
    );
    expect(await refusal({ ...route, customer: 'C1' })).toMatch(/scope\.customer.*not allowed with a route/);
    expect(await refusal({ facility: 'F01', route_id: 'R100' })).toMatch(/scope\.week_end.*required for a route/);
    expect(await refusal({ facility: 'F01', customer: 'C1', stop_id: 1 })).toMatch(/scope\.stop_id.*without a route/);
    expect(await refusal({ ...route, route_id: 'R404' })).toMatch('ROUTE_NOT_FOUND');
    expect(await refusal({ ...route, stop_id: 9 })).toMatch('STOP_NOT_FOUND');
    expect(await refusal({ facility: 'F01', customer: 'C404' })).toMatch('STOP_NOT_FOUND');
    expect(await refusal(route, { until: '2026-11-24T07:59:59Z' })).toMatch(/until.*must lie ahead/);
    expect(await refusal(route, { reason: ' ' })).toMatch(/reason/);
    expect(await list()).toEqual([]);
  });

  test('is an act with its reason, and its release another one', async () => {
    const { legal_hold_id: id } = await place({ ...route, stop_id: 1 });
    expect((await release(id, mary)).error?.code).toBe('ROLE_REQUIRED');
    expect((await release(id)).data).toMatchObject({ released_by: 'CHIEF', released_at: now.toISOString() });
    expect(await list()).toEqual([]);
    const acts = await server.client.take(listActs, { headers: mary, query: `?subject=${id}` });
    expect(acts.toSorted((a, b) => a.act.localeCompare(b.act))).toMatchObject([
      {
        act: 'placeLegalHold',
        by: 'MARYB',
        reason: 'claim 4711',
        subject_kind: 'legal-hold',
        route_id: 'R100',
        stop_id: 1,
      },
      { act: 'releaseLegalHold', by: 'CHIEF', reason: 'the claim is settled', before: '{"until":null}' },
    ]);
    const ofProgram = { authorization: `Bearer ${opsToken}` };
    const body = { reason: 'claim 4712', scope: route };
    expect((await server.client.call(placeLegalHold, { headers: ofProgram, body })).error?.code).toBe(
      'VALIDATION_FAILED',
    );
    const taken = await server.client.take(placeLegalHold, { headers: ofProgram, body: { ...body, by: 'ARCHIVE' } });
    expect(taken.placed_by).toBe('machine:ARCHIVE');
  });

  test('is released once, and the second operator gets the name of the first', async () => {
    const { legal_hold_id: id } = await place(route);
    await release(id);
    const again = await release(id, lee);
    expect(again.error?.code).toBe('DECIDED_BEFORE');
    const { by, at, act } = firstDecision.parse(again.data);
    expect([by, act]).toEqual(['CHIEF', 'releaseLegalHold']);
    expect((await release(id, lee, { seen: at })).error?.code).toBe('HOLD_NOT_FOUND');
    expect((await release(randomUUID())).error?.code).toBe('HOLD_NOT_FOUND');
  });

  test('are part of the evidence of a stop, also after their release, and without names they have no author', async () => {
    await server.database.pool.query(`update route set withdrawn_at = null`);
    const { legal_hold_id: id } = await place({ ...route, stop_id: 1 });
    await place({ facility: 'F01', customer: 'C2' });
    await release(id);
    const packed = async (without = ''): Promise<string> => {
      const query = `?facility=F01&route_id=R100&week_end=20261121&stop_id=1${without}`;
      const answer = await fetch(`${server.client.url}/api/ops/evidence${query}`, { headers: mary });
      expect(answer.status).toBe(200);
      return String(unzipped(Buffer.from(await answer.arrayBuffer())).get('pack.json'));
    };
    const { stops } = parsePack(await packed());
    expect(stops[0]?.holds).toMatchObject([{ legal_hold_id: id, placed_by: 'MARYB', released_by: 'CHIEF' }]);
    const nameless = await packed('&without=names');
    expect(nameless).toContain(id);
    expect(nameless).not.toMatch(/MARYB|CHIEF|claim 4711/);
  });
});
