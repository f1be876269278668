import { beforeAll, describe, expect, test } from 'vitest';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { operations } from '../../../server/src/http/operations.ts';
import { addStops, insertRoutes, plan } from '../../support/mirror.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';

const {
  acknowledgeIncident,
  beginHold,
  dismissQuarantined,
  endHold,
  invite,
  listActs,
  listHolds,
  listIncidents,
  listParked,
  listQuarantine,
  releaseQuarantined,
  repairParked,
  retryParked,
  skipParked,
  syncStops,
  unregisterDriver,
  withdrawInvitation,
} = operations;
const machine = { authorization: `Bearer ${opsToken}` };
const route = { facility: 'F01', id: 'R100', week_end: '20261121' };

let node: RestServer;
let driver: Signed;
let repair: Record<string, string>;
let admin: Record<string, string>;

beforeAll(async () => {
  node = await startRestServer();
  await insertRoutes(node.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [1, 2, 3, 4].map((id) => plan(id)) },
  ]);
  await insertEmployees(node.database.pool, ['1002']);
  driver = await signUp(node.client, '1001');
  repair = await operatorHeaders(node, 'repair', 'MARYB');
  admin = await operatorHeaders(node, 'admin', 'CHIEF');
});

const acts = (query: string) => node.client.take(listActs, { headers: machine, query });
const detailsOf = async (call: Promise<{ error?: { code: string; details: object[] } | undefined }>) =>
  (await call).error?.details[0];

/** A change of a stop that the route lacks. */
async function quarantined(stop: number): Promise<{ quarantine_id: string }> {
  const body = { id: 'R100', stops: [{ id: stop, updates: { status: 'D' } }] };
  await node.client.call(syncStops, { as: driver, body });
  const entry = (await node.client.take(listQuarantine, { headers: machine })).find((each) => each.stop_id === stop);
  return { quarantine_id: entry?.quarantine_id ?? '' };
}

/** As a worker parks a stop that the host refuses. */
async function parked(stop: number): Promise<{ parked_id: string }> {
  await node.database.pool.query(
    `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload)
     values ('F01', 'R100', '20261121', $1, 1, '09000', 'not wanted', '')`,
    [stop],
  );
  const entry = (await node.client.take(listParked, { headers: machine })).find((each) => each.stop_id === stop);
  return { parked_id: entry?.parked_id ?? '' };
}

describe('the author of an act', () => {
  test('is the operator of the session: absent, or the same in the body', async () => {
    const params = await quarantined(71);
    const body = { by: 'MILLER', reason: 'booked by hand' };
    const detail = { path: 'by', message: 'must be MARYB, the operator of this session, or absent' };
    expect(await detailsOf(node.client.call(dismissQuarantined, { headers: repair, params, body }))).toEqual(detail);
    const own = { by: 'MARYB', reason: 'booked by hand' };
    const dismissed = await node.client.take(dismissQuarantined, { headers: repair, params, body: own });
    expect(dismissed).toMatchObject({ state: 'dismissed', resolved_by: 'MARYB' });
    const again = await node.client.take(dismissQuarantined, { headers: repair, params, body: { reason: 'again' } });
    expect(again).toMatchObject({ resolved_by: 'MARYB', note: 'again' });
  });

  test('of a program is required, and stored with its kind', async () => {
    const params = await quarantined(72);
    const body = { reason: 'booked by hand' };
    const detail = { path: 'by', message: 'is required with OPS_TOKEN' };
    expect(await detailsOf(node.client.call(dismissQuarantined, { headers: machine, params, body }))).toEqual(detail);
    const named = { by: 'MARYB', ...body };
    const dismissed = await node.client.take(dismissQuarantined, { headers: machine, params, body: named });
    expect(dismissed).toMatchObject({ resolved_by: 'machine:MARYB' });
  });

  test('of a program without a name stays possible where none was ever asked for', async () => {
    const params = await parked(3);
    await node.client.take(retryParked, { headers: machine, params });
    expect(await acts(`?subject=${params.parked_id}`)).toMatchObject([{ by: 'machine', act: 'retryParked' }]);
  });

  test.each([
    ['skipParked', skipParked, 'parked_id', { reason: 'x' }],
    ['repairParked', repairParked, 'parked_id', { stop: { id: 1 } }],
    ['releaseQuarantined', releaseQuarantined, 'quarantine_id', {}],
    ['acknowledgeIncident', acknowledgeIncident, 'incident_id', { note: 'seen' }],
    ['beginHold', beginHold, '', { reason: 'x' }],
    ['invite', invite, '', { employee: '1002' }],
    ['withdrawInvitation', withdrawInvitation, 'invitation_id', {}],
    ['unregisterDriver', unregisterDriver, 'employee', { reason: 'x' }],
  ])('%s refuses another name', async (_name, operation, param, body) => {
    const id = param === 'employee' ? '1002' : '0197b2a8-1c2d-7e3f-8a4b-5c6d7e8f9012';
    const call = { headers: admin, params: { [param]: id }, body: { by: 'MARYB', ...body } };
    expect(await detailsOf(node.client.call(operation, call))).toMatchObject({ path: 'by' });
  });
});

describe('GET /api/ops/acts', () => {
  test('shows who, what, to which subject, why, before and after', async () => {
    const params = await quarantined(81);
    await node.client.take(dismissQuarantined, { headers: repair, params, body: { reason: 'booked by hand' } });
    const [act] = await acts(`?subject=${params.quarantine_id}`);
    expect(act).toMatchObject({
      by: 'MARYB',
      act: 'dismissQuarantined',
      subject_kind: 'quarantine',
      subject: params.quarantine_id,
      facility: 'F01',
      route_id: 'R100',
      week_end: '20261121',
      stop_id: 81,
      employee: '1001',
      reason: 'booked by hand',
    });
    expect(JSON.parse(act?.before ?? '')).toEqual({ state: 'open', resolved_by: null, note: null });
    expect(JSON.parse(act?.after ?? '')).toEqual({ state: 'dismissed' });
  });

  test('a release is one act, with its change; a refused or repeated one is none', async () => {
    const params = await quarantined(82);
    const ofEntry = () => acts(`?subject=${params.quarantine_id}`);
    const refused = await node.client.call(releaseQuarantined, { headers: repair, params, body: {} });
    expect(refused.error?.code).toBe('STOP_NOT_FOUND');
    expect(await ofEntry()).toEqual([]);
    await addStops(node.database.pool, { ...route, weekEnd: route.week_end }, [plan(82)]);
    const body = { note: 'the stop was forgotten' };
    await node.client.take(releaseQuarantined, { headers: repair, params, body });
    await node.client.take(releaseQuarantined, { headers: repair, params, body });
    expect(await ofEntry()).toMatchObject([{ by: 'MARYB', act: 'releaseQuarantined', reason: body.note }]);
  });

  test('a person never replaces the decision of another one unseen; a program still can', async () => {
    const params = await quarantined(74);
    const first = await node.client.take(dismissQuarantined, { headers: repair, params, body: { reason: 'known' } });
    const again = { params, body: { reason: 'my own sentence' } };
    const second = await node.client.call(dismissQuarantined, { ...again, headers: admin });
    expect(second).toMatchObject({ status: 409, error: { code: 'DECIDED_BEFORE' } });
    expect(second.data).toEqual({ by: 'MARYB', at: first.resolved_at, act: 'dismissQuarantined' });
    expect(await node.client.take(dismissQuarantined, { ...again, headers: repair })).toMatchObject({
      note: 'my own sentence',
    });
    const body = { by: 'NIGHT', reason: 'by a program' };
    expect(await node.client.take(dismissQuarantined, { params, headers: machine, body })).toMatchObject({
      resolved_by: 'machine:NIGHT',
    });

    const row = { params: await parked(4), body: { reason: 'typed in' } };
    const skipped = await node.client.take(skipParked, { ...row, headers: repair });
    const late = await node.client.call(skipParked, { ...row, headers: admin });
    expect(late).toMatchObject({ status: 409, error: { code: 'DECIDED_BEFORE' } });
    expect(late.data).toEqual({ by: 'MARYB', at: skipped.skipped_at, act: 'skipParked' });
    // Another decision stays possible for an operator who has read the first one: the row is tried again.
    await node.client.take(retryParked, { params: row.params, headers: admin, body: { seen: skipped.skipped_at } });
  });

  test('a repair is one act with the ledger’s change, which has the operator as its author', async () => {
    const params = await parked(1);
    const stop = { id: 1, updates: { driver_comments: 'good words' } };
    const body = { reason: 'a typing error', stop };
    await node.client.take(repairParked, { headers: repair, params, body });
    const [act] = await acts(`?facility=F01&route_id=R100&week_end=20261121&stop_id=1`);
    expect(act).toMatchObject({ by: 'MARYB', act: 'repairParked', subject: params.parked_id, reason: body.reason });
    expect(JSON.parse(act?.after ?? '')).toEqual({ stop });
    const { rows } = await node.database.pool.query(`select source, employee from ledger where stop_id = 1`);
    expect(rows).toEqual([{ source: 'office', employee: 'MARYB' }]);
  });

  test('a refused repair is no act', async () => {
    const params = await parked(2);
    const call = { headers: repair, params, body: { stop: { id: 1 } } };
    expect((await node.client.call(repairParked, call)).error?.code).toBe('VALIDATION_FAILED');
    const skipped = { headers: repair, params, body: { reason: 'known' } };
    await node.client.take(skipParked, skipped);
    const found = await acts(`?subject=${params.parked_id}`);
    expect(found).toMatchObject([{ act: 'skipParked', reason: 'known' }]);
    expect(JSON.parse(found[0]?.after ?? '')).toEqual({ state: 'skipped', next_try_at: null });
  });

  test('holds, incidents, invitations and drivers have acts, too', async () => {
    const hold = await node.client.take(beginHold, { headers: admin, body: { reason: 'new disks' } });
    expect(hold.by).toBe('CHIEF');
    const params = { hold_id: hold.hold_id };
    await node.client.take(endHold, { headers: admin, params, body: { reason: 'done' } });
    expect(await node.client.take(listHolds, { headers: admin })).toEqual([]);
    expect(await acts(`?subject=${hold.hold_id}`)).toMatchObject([
      { act: 'endHold', reason: 'done' },
      { act: 'beginHold', reason: 'new disks', before: null },
    ]);

    await node.database.pool.query(
      `insert into incident (incident_id, kind, employee, details) values (gen_random_uuid(), 'items_gone', '1001', '{}')`,
    );
    const [incident] = await node.client.take(listIncidents, { headers: admin });
    const ofIncident = { incident_id: incident?.incident_id ?? '' };
    for (const headers of [repair, admin])
      await node.client.take(acknowledgeIncident, { headers, params: ofIncident, body: { note: 'called the driver' } });
    expect(await acts(`?subject=${ofIncident.incident_id}`)).toMatchObject([
      { by: 'MARYB', act: 'acknowledgeIncident', employee: '1001', reason: 'called the driver' },
    ]);

    const invited = await node.client.take(invite, { headers: admin, body: { employee: '1002' } });
    expect(invited.created_by).toBe('CHIEF');
    const ofInvitation = { invitation_id: invited.invitation_id };
    await node.client.take(withdrawInvitation, { headers: admin, params: ofInvitation, body: {} });
    await signUp(node.client, '1002');
    const body = { reason: 'has left' };
    await node.client.take(unregisterDriver, { headers: admin, params: { employee: '1002' }, body });
    expect((await acts('?employee=1002')).map(({ act }) => act)).toEqual([
      'unregisterDriver',
      'withdrawInvitation',
      'invite',
    ]);
    expect(JSON.stringify(await acts('?subject_kind=invitation'))).not.toContain(invited.code);
  });

  test('commands have acts, without the password', async () => {
    const argv = ['operator', 'add', 'NEWONE', '--name', 'N', '--role', 'look'];
    const text = await runOpsCommand(parseOpsCommand(argv), node.database.pool, { autocloseSeconds: 600, keyFile: '' });
    const found = await acts('?subject_kind=operator');
    expect(found).toMatchObject([{ by: 'npm run ops', act: 'addOperator', subject: 'NEWONE' }]);
    expect(JSON.stringify(found)).not.toContain(text.split('\n')[0]);
  });

  test('filters by operator and time, in pages', async () => {
    const all = await acts('?by=CHIEF');
    expect(all.length).toBeGreaterThan(2);
    expect(new Set(all.map(({ by }) => by))).toEqual(new Set(['CHIEF']));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const reply = await node.client.call(listActs, { headers: repair, query: `?by=CHIEF&limit=2&cursor=${cursor}` });
      seen.push(...listActs.data.parse(reply.data).map(({ act_id }) => act_id));
      cursor = listActs.meta?.parse(reply.meta).next_cursor ?? null;
    }
    expect(seen).toEqual(all.map(({ act_id }) => act_id));
    const { at = '' } = all[0] ?? {};
    expect(await acts(`?by=CHIEF&from=2000-01-01T00:00:00Z&until=${at}`)).toHaveLength(all.length - 1);
    expect(await acts('?until=2000-01-01T00:00:00Z')).toEqual([]);
    expect((await node.client.call(listActs, { headers: repair, query: '?stop_id=x' })).error?.details).toMatchObject([
      { path: 'stop_id' },
    ]);
  });
});
