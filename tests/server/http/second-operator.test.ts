import { beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '@tailgate/sync-protocol';
import { operations } from '../../../server/src/http/operations.ts';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { firstDecision } from '../../../server/src/ops/contract.ts';
import { settledAt } from '../../../server/src/ops/flags/settled.ts';
import { addStops, insertRoutes, plan } from '../../support/mirror.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';

const { acknowledgeIncident, beginHold, dismissQuarantined, endHold, invite, listActs, listHolds } = operations;
const { listDevices, listIncidents, listParked, listQuarantine, releaseQuarantined, repairParked } = operations;
const { retryParked, retryParkedCause, reviewFlags, revokeDevice, skipParked, skipParkedCause } = operations;
const { syncStops, unregisterDriver, withdrawInvitation } = operations;
const machine = { authorization: `Bearer ${opsToken}` };
const route = { facility: 'F01', id: 'R100', week_end: '20261121' };

let node: RestServer;
let driver: Signed;
let maryb: Record<string, string>;
let lee: Record<string, string>;

beforeAll(async () => {
  node = await startRestServer();
  const stops = Array.from({ length: 12 }, (_, at) => plan(at + 1));
  await insertRoutes(node.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops },
  ]);
  await insertEmployees(node.database.pool, ['1002', '1003']);
  driver = await signUp(node.client, '1001');
  maryb = await operatorHeaders(node, 'admin', 'MARYB');
  lee = await operatorHeaders(node, 'admin', 'LEE');
});

type AnyOperation = Operation<unknown, unknown, unknown>;
type Sent = { readonly params?: Record<string, string>; readonly body?: object };

const call = (operation: AnyOperation, headers: Record<string, string>, sent: Sent) =>
  node.client.call(operation, { headers, ...sent });

const actsOn = (subject: string) => node.client.take(listActs, { headers: machine, query: `?subject=${subject}` });

/** The second operator is refused with author and time of the first. One act is recorded. */
async function firstWins(operation: AnyOperation, sent: Sent): Promise<string> {
  const [subject = ''] = Object.values(sent.params ?? {});
  const before = await actsOn(subject);
  expect((await call(operation, maryb, sent)).error).toBeUndefined();
  const second = await call(operation, lee, sent);
  expect([second.status, second.error?.code]).toEqual([409, 'DECIDED_BEFORE']);
  const { by, at } = firstDecision.parse(second.data);
  expect(by).toBe('MARYB');
  const acts = await actsOn(subject);
  expect(acts).toHaveLength(before.length + 1);
  expect(acts[0]?.by).toBe('MARYB');
  return at;
}

/**
 * Two requests at the same moment: one is taken, the other one is refused with the name of the first.
 * @returns the number of new acts
 */
async function oneIsFirst(operation: AnyOperation, sent: Sent): Promise<number> {
  const [subject = ''] = Object.values(sent.params ?? {});
  const before = await actsOn(subject);
  const answers = await Promise.all([call(operation, maryb, sent), call(operation, lee, sent)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.error?.code).toBe('DECIDED_BEFORE');
  const winner = answers[0]?.status === 200 ? 'MARYB' : 'LEE';
  expect(firstDecision.parse(refused?.data).by).toBe(winner);
  const acts = await actsOn(subject);
  expect(acts[0]?.by).toBe(winner);
  return acts.length - before.length;
}

async function quarantined(stop: number): Promise<{ quarantine_id: string }> {
  await node.client.call(syncStops, {
    as: driver,
    body: { id: 'R100', stops: [{ id: stop, updates: { status: 'D' } }] },
  });
  const entry = (await node.client.take(listQuarantine, { headers: machine })).find((each) => each.stop_id === stop);
  return { quarantine_id: entry?.quarantine_id ?? '' };
}

async function parkedEntry(stop: number, reason = 'not wanted') {
  await node.database.pool.query(
    `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload, next_try_at)
     values ('F01', 'R100', '20261121', $1, 1, '09000', $2, '', now() + interval '1 hour')`,
    [stop, reason],
  );
  const found = await node.client.take(listParked, { headers: machine });
  const entry = found.find((each) => each.stop_id === stop);
  if (!entry) throw new Error(`stop ${stop} is not parked`);
  return entry;
}

async function parked(stop: number): Promise<{ parked_id: string }> {
  const { parked_id } = await parkedEntry(stop);
  return { parked_id };
}

/** A worker has tried an entry, and the host has refused it again. */
const refusedAgain = (stop: number, version = 1) =>
  node.database.pool.query(
    `update parked set next_try_at = now() + interval '1 hour', version = $2 where stop_id = $1`,
    [stop, version],
  );

describe('a parked row', () => {
  test('keeps the skip of the first; another decision needs the time of it', async () => {
    const params = await parked(1);
    const at = await firstWins(skipParked, { params, body: { reason: 'booked by hand' } });
    const unseen = await call(retryParked, lee, { params });
    expect([unseen.status, unseen.data]).toEqual([409, { by: 'MARYB', at, act: 'skipParked' }]);
    const earlier = { seen: new Date(Date.parse(at) - 1).toISOString() };
    expect((await call(retryParked, lee, { params, body: earlier })).status).toBe(409);
    const [entry] = await node.client.take(listParked, { headers: machine, query: '?state=skipped' });
    expect(entry).toMatchObject({ skipped_by: 'MARYB', skip_reason: 'booked by hand', skipped_at: at });
    const retried = await node.client.take(retryParked, { headers: lee, params, body: { seen: at } });
    expect(retried.state).toBe('open');
  });

  test('is retried once; after the next refusal of the host it is a new decision', async () => {
    const params = await parked(2);
    await firstWins(retryParked, { params, body: { reason: 'the host is corrected' } });
    const skip = await call(skipParked, lee, { params, body: { reason: 'mine' } });
    expect([skip.status, skip.error?.code]).toEqual([409, 'DECIDED_BEFORE']);
    await refusedAgain(2);
    expect((await call(skipParked, lee, { params, body: { reason: 'mine' } })).status).toBe(200);
  });

  test('is repaired once for the values that both have read', async () => {
    const { parked_id, version } = await parkedEntry(3);
    const params = { parked_id };
    const body = { stop: { id: 3, updates: { driver_comments: 'shorter' } } };
    const at = await firstWins(repairParked, { params, body });
    // The host has refused the repaired stop, too. A page that shows the former values is refused all the same.
    const [changed] = await versions(3);
    await refusedAgain(3, changed);
    const stale = await call(repairParked, lee, { params, body: { ...body, expected_version: version } });
    expect([stale.status, stale.data]).toEqual([409, { by: 'MARYB', at }]);
    const fresh = await call(repairParked, lee, { params, body: { ...body, expected_version: changed } });
    expect(fresh.status).toBe(200);
    const read = await call(repairParked, lee, { params, body: { ...body, expected_version: version, seen: at } });
    expect(read.status).toBe(200);
  });

  test('is changed once by two operators at the same moment', async () => {
    const skip = { params: await parked(4), body: { reason: 'booked by hand' } };
    expect(await oneIsFirst(skipParked, skip)).toBe(1);
    expect(await oneIsFirst(retryParked, { params: await parked(5) })).toBe(1);
    const body = { stop: { id: 6, updates: { driver_comments: 'shorter' } } };
    expect(await oneIsFirst(repairParked, { params: await parked(6), body })).toBe(1);
    expect(await versions(6)).toHaveLength(1);
  });

  test('has one of two different decisions of the same moment', async () => {
    const params = await parked(7);
    const answers = await Promise.all([
      call(skipParked, maryb, { params, body: { reason: 'booked by hand' } }),
      call(retryParked, lee, { params }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await actsOn(params.parked_id)).toHaveLength(1);
  });
});

const versions = async (stop: number): Promise<number[]> => {
  const { rows } = await node.database.pool.query<{ version: string }>(
    `select version from ledger where stop_id = $1 and source = 'office' order by version desc`,
    [stop],
  );
  return rows.map(({ version }) => Number(version));
};

describe('a cause', () => {
  test('is retried once, and not skipped while the retry of another operator runs', async () => {
    const { cause } = await parkedEntry(8, 'this cause is retried');
    const retry = { body: { cause, reason: 'corrected' } };
    const answers = await Promise.all([
      node.client.take(retryParkedCause, { headers: maryb, ...retry }),
      node.client.take(retryParkedCause, { headers: lee, ...retry }),
    ]);
    expect(answers.map(({ count }) => count).toSorted((a, b) => a - b)).toEqual([0, 1]);
    const [act, ...more] = await actsOn(cause);
    expect(more).toEqual([]);
    expect(answers.find(({ count }) => count === 0)?.first).toMatchObject({ by: act?.by, at: act?.at });
    const other = act?.by === 'MARYB' ? lee : maryb;
    const skip = { body: { cause, reason: 'not needed' } };
    const refused = await call(skipParkedCause, other, skip);
    expect([refused.status, refused.data]).toEqual([409, { by: act?.by, at: act?.at, act: 'retryParkedCause' }]);
    const seen = { body: { ...skip.body, seen: act?.at } };
    expect((await node.client.take(skipParkedCause, { headers: other, ...seen })).count).toBe(1);
  });

  test('that another operator retries keeps its rows from a single skip or retry until the host has answered', async () => {
    const { cause, parked_id } = await parkedEntry(10, 'each row of it is retried');
    const params = { parked_id };
    await node.client.take(retryParkedCause, { headers: maryb, body: { cause, reason: 'corrected' } });
    const [act] = await actsOn(cause);
    const first = { by: 'MARYB', at: act?.at, act: 'retryParkedCause' };
    const skip = { params, body: { reason: 'booked by hand' } };
    for (const refused of [await call(skipParked, lee, skip), await call(retryParked, lee, { params })])
      expect([refused.status, refused.error?.code, refused.data]).toEqual([409, 'DECIDED_BEFORE', first]);
    expect(await actsOn(parked_id)).toEqual([]);
    await refusedAgain(10);
    expect((await call(skipParked, lee, skip)).status).toBe(200);
  });

  test('and one of its rows have one of two different decisions of the same moment', async () => {
    const { cause, parked_id } = await parkedEntry(11, 'a row and its cause');
    const [retried, skipped] = await Promise.all([
      call(retryParkedCause, maryb, { body: { cause, reason: 'corrected' } }),
      call(skipParked, lee, { params: { parked_id }, body: { reason: 'booked by hand' } }),
    ]);
    expect([retried.status, retried.data, skipped.status]).toBeOneOf([
      [200, expect.objectContaining({ count: 1 }), 409],
      [200, expect.objectContaining({ count: 0 }), 200],
      // The skip is done before the retry looks for the cause.
      [404, null, 200],
    ]);
  });

  test('is skipped once, and a retry of open entries names that skip', async () => {
    const { cause } = await parkedEntry(9, 'that cause is skipped');
    const skip = { body: { cause, reason: 'not needed' } };
    const answers = await Promise.all([
      node.client.take(skipParkedCause, { headers: maryb, ...skip }),
      node.client.take(skipParkedCause, { headers: lee, ...skip }),
    ]);
    expect(answers.map(({ count }) => count).toSorted((a, b) => a - b)).toEqual([0, 1]);
    const [act, ...more] = await actsOn(cause);
    expect(more).toEqual([]);
    const other = act?.by === 'MARYB' ? lee : maryb;
    const late = await call(retryParkedCause, other, { body: { cause, reason: 'corrected' } });
    expect([late.status, late.data]).toEqual([409, { by: act?.by, at: act?.at, act: 'skipParkedCause' }]);
  });
});

describe('a quarantined change', () => {
  test('is dismissed once, and not released without the time of the dismissal', async () => {
    const params = await quarantined(71);
    await addStops(node.database.pool, { ...route, weekEnd: route.week_end }, [plan(71)]);
    const at = await firstWins(dismissQuarantined, { params, body: { reason: 'not a stop' } });
    const unseen = await call(releaseQuarantined, lee, { params, body: {} });
    expect([unseen.status, unseen.data]).toEqual([409, { by: 'MARYB', at, act: 'dismissQuarantined' }]);
    const released = await node.client.take(releaseQuarantined, { headers: lee, params, body: { seen: at } });
    expect(released.item).toMatchObject({ state: 'released', resolved_by: 'LEE' });
    const late = await call(dismissQuarantined, maryb, { params, body: { reason: 'x', seen: at } });
    expect(late).toMatchObject({ status: 409, error: { code: 'QUARANTINE_RELEASED' } });
    expect(late.data).toEqual({ by: 'LEE', at: released.item.resolved_at, act: 'releaseQuarantined' });
  });

  test('is released once by two operators at the same moment: both read who it was', async () => {
    const params = await quarantined(72);
    await addStops(node.database.pool, { ...route, weekEnd: route.week_end }, [plan(72)]);
    const [a, b] = await Promise.all(
      [maryb, lee].map((headers) => node.client.take(releaseQuarantined, { headers, params, body: {} })),
    );
    expect([a, b].map((each) => String(each?.changed)).toSorted((x, y) => x.localeCompare(y))).toEqual([
      'false',
      'true',
    ]);
    const acts = await actsOn(params.quarantine_id);
    expect(acts).toHaveLength(1);
    expect([a?.item.resolved_by, b?.item.resolved_by]).toEqual([acts[0]?.by, acts[0]?.by]);
  });

  test('is dismissed once by two operators at the same moment', async () => {
    expect(await oneIsFirst(dismissQuarantined, { params: await quarantined(73), body: { reason: 'known' } })).toBe(1);
  });

  test('is either released or dismissed by two operators at the same moment', async () => {
    const params = await quarantined(74);
    await addStops(node.database.pool, { ...route, weekEnd: route.week_end }, [plan(74)]);
    const answers = await Promise.all([
      call(releaseQuarantined, maryb, { params, body: {} }),
      call(dismissQuarantined, lee, { params, body: { reason: 'known' } }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 409]);
    expect(await actsOn(params.quarantine_id)).toHaveLength(1);
  });
});

describe('an incident and flags', () => {
  test('have the acknowledgement of the first of two operators', async () => {
    await node.database.pool.query(
      `insert into incident (incident_id, kind, employee, details) values (gen_random_uuid(), 'items_gone', '1001', '{}')`,
    );
    const [incident] = await node.client.take(listIncidents, { headers: lee });
    const params = { incident_id: incident?.incident_id ?? '' };
    const [a, b] = await Promise.all(
      Object.entries({ MARYB: maryb, LEE: lee }).map(([note, headers]) =>
        node.client.take(acknowledgeIncident, { headers, params, body: { note } }),
      ),
    );
    expect(a).toEqual(b);
    expect(a?.acknowledged_by).toBe(a?.note);
    expect(await actsOn(params.incident_id)).toMatchObject([{ by: a?.note }]);
  });

  test('have the review of the first of two operators', async () => {
    const body = { code: 'after_close', through: settledAt(node.clock.now).toISOString() };
    const [a, b] = await Promise.all([maryb, lee].map((headers) => node.client.take(reviewFlags, { headers, body })));
    expect(a).toEqual(b);
    expect(await actsOn('after_close')).toMatchObject([{ by: a?.by }]);
  });
});

describe('a hold', () => {
  test('in force is not begun twice, unless the second one lasts longer or is planned', async () => {
    const body = { reason: 'backup', until: new Date(Date.now() + 3_600_000).toISOString() };
    const answers = await Promise.all([call(beginHold, maryb, { body }), call(beginHold, lee, { body })]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const [hold, ...more] = await node.client.take(listHolds, { headers: lee });
    expect(more).toEqual([]);
    expect(answers.find(({ status }) => status === 409)?.data).toEqual({
      by: hold?.by,
      at: hold?.from,
      act: 'beginHold',
    });
    const other = hold?.by === 'MARYB' ? lee : maryb;
    const longer = await node.client.take(beginHold, { headers: other, body: { reason: 'new disks' } });
    const planned = { reason: 'window', from: new Date(Date.now() + 60_000).toISOString() };
    const later = await node.client.take(beginHold, { headers: other, body: planned });
    for (const { hold_id } of [longer, later]) {
      const params = { hold_id };
      expect(await oneIsFirst(endHold, { params, body: { reason: 'done' } })).toBe(1);
    }
    await firstWins(endHold, { params: { hold_id: hold?.hold_id ?? '' }, body: {} });
    expect(await node.client.take(listHolds, { headers: lee })).toEqual([]);
  });
});

describe('drivers and phones', () => {
  test('a phone is ended once; the second operator reads who did it', async () => {
    const client_id = '0197b2a8-1c2d-7e3f-8a4b-5c6d7e8f9012';
    await node.database.pool.query(
      `insert into client (client_id, employee, device, queue_key_hash) values ($1, '1001', 'Moto G84', '')`,
      [client_id],
    );
    const params = { client_id };
    const [a, b] = await Promise.all(
      [maryb, lee].map((headers, at) =>
        node.client.take(revokeDevice, { headers, params, body: { reason: `lost ${at}` } }),
      ),
    );
    expect(a).toEqual(b);
    const acts = await actsOn(client_id);
    expect(acts).toMatchObject([{ by: a?.revoked_by, reason: a?.revoke_reason }]);
    const [listed] = await node.client.take(listDevices, { headers: lee });
    expect(listed?.revoked_by).toBe(acts[0]?.by);
  });

  test('an invitation is withdrawn once, and a driver is unregistered once', async () => {
    const { invitation_id } = await node.client.take(invite, { headers: maryb, body: { employee: '1002' } });
    expect(await oneIsFirst(withdrawInvitation, { params: { invitation_id }, body: {} })).toBe(1);
    await signUp(node.client, '1003');
    expect(await oneIsFirst(unregisterDriver, { params: { employee: '1003' }, body: { reason: 'has left' } })).toBe(1);
  });
});

describe('the commands for operators', () => {
  const run = (...argv: string[]) =>
    runOpsCommand(parseOpsCommand(['operator', ...argv]), node.database.pool, { autocloseSeconds: 600, keyFile: '' });
  const outcomes = async (...argv: string[]) => {
    const settled = await Promise.allSettled([run(...argv), run(...argv)]);
    const refused = settled.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    return { refused, texts: settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])) };
  };

  test('add and revoke an operator once, also at the same moment', async () => {
    const added = await outcomes('add', 'NEWONE', '--name', 'N', '--role', 'look');
    expect([added.texts.length, added.refused.length]).toEqual([1, 1]);
    expect(added.refused[0]).toContain('the operator NEWONE exists');
    const revoked = await outcomes('revoke', 'NEWONE');
    expect(revoked.texts).toHaveLength(1);
    expect(revoked.refused[0]).toMatch(/NEWONE was revoked before, at .+ by npm run ops/);
    expect((await actsOn('NEWONE')).map(({ act }) => act)).toEqual(['revokeOperator', 'addOperator']);
  });

  test('say that a one-time password replaces one that was not used', async () => {
    await run('add', 'RESET', '--name', 'N', '--role', 'look');
    expect(await run('reset', 'RESET')).toMatch(/It replaces the one-time password of \S+, which was not used\./);
    expect(await run('reset', 'MARYB')).not.toContain('It replaces');
  });
});
