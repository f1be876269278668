import { clientScope } from '@tailgate/sync-protocol';
import { operations } from '../../../server/src/http/operations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { findQuarantined } from '../../../server/src/mutations/quarantine/quarantine.ts';
import { addStops, insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import { opsToken } from '../../support/rest-server.ts';
import { TestQueue } from '../../support/sealing.ts';
import { startSyncNode, type SyncNode } from '../../support/sync-node.ts';
import { sessionOf } from '../mutations/fixture.ts';

const { dismissQuarantined, listQuarantine, readQuarantined, releaseQuarantined, syncStops } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const route = { facility: 'F01', id: 'R100', week_end: '20261121' };

let node: SyncNode;
let driver: Signed;

beforeAll(async () => {
  node = await startSyncNode();
  const stops = [plan(1), plan(999, 0)];
  await insertRoutes(node.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops },
  ]);
  driver = await signUp(node.client, '1001');
});

/** The office adds a forgotten stop to the route. */
const addStop = (id: number): Promise<void> =>
  addStops(node.database.pool, { ...route, weekEnd: route.week_end }, [plan(id)]);

/** A phone whose change of a stop that is not on the route is quarantined. */
async function kept(stop: number, comment = 'from the road') {
  const queue = new TestQueue();
  const phone = await Phone.connect(node.socketUrl, queue.clientId);
  await phone.signOn(driver, { device: 'Tab 5', app: 'pod/4.2' });
  phone.send({ type: 'subscribe', cursors: { [clientScope(queue.clientId)]: null } });
  const item = queue.seal('stop.update', { route, stop: { id: stop, updates: { driver_comments: comment } } });
  phone.push(item);
  const ack = await phone.next('ack');
  expect(ack.results).toMatchObject([{ result: 'quarantined', code: 'STOP_NOT_FOUND' }]);
  await quarantineDocument(phone, item.id, 'open');
  const entry = (await list()).find(({ id }) => id === item.id);
  if (!entry) throw new Error('the quarantine is empty');
  return { queue, phone, item, params: { quarantine_id: entry.quarantine_id } };
}

const list = (query = '') => node.client.take(listQuarantine, { headers, query });
const by = { by: 'MILLER' };

/** The answer that the phone receives about a quarantined mutation, once it is in this state. */
async function quarantineDocument(phone: Phone, id: string, state: string): Promise<unknown> {
  const documentOf = (docs: readonly { key: string; value: unknown }[]) =>
    docs.find(({ key, value }) => key === `quarantine/${id}` && JSON.stringify(value).includes(`"${state}"`));
  const patch = await phone.next('patch', ({ docs }) => documentOf(docs) !== undefined);
  return documentOf(patch.docs)?.value;
}

const ledgerOf = async (id: string) =>
  (
    await node.database.pool.query<{ edit_time: Date; received_at: Date }>(
      `select employee, source, client_id, seq, captured_at, edit_time, received_at, version from ledger where id = $1`,
      [id],
    )
  ).rows;

describe('POST /api/ops/quarantine/:id/release', () => {
  test('applies it as its author recorded it and notifies the phone; a repeat is a duplicate', async () => {
    const { queue, phone, item, params } = await kept(11);
    const before = await node.client.take(readQuarantined, { headers, params });
    expect(before).toMatchObject({
      id: item.id,
      source: 'sync',
      employee: '1001',
      employee_name: 'Driver 1001',
      device: 'Tab 5',
      app: 'pod/4.2',
      client_id: queue.clientId,
      seq: 1,
      captured_at: item.captured_at,
      state: 'open',
      version: null,
    });
    expect(JSON.parse(before.body)).toMatchObject({ args: item.args });

    await addStop(11);
    const body = { ...by, note: 'the stop was forgotten' };
    const { item: after, changed } = await node.client.take(releaseQuarantined, { headers, params, body });
    expect(after).toMatchObject({ state: 'released', resolved_by: 'machine:MILLER', note: 'the stop was forgotten' });
    expect(changed).toBe(true);
    const [entry] = await ledgerOf(item.id);
    expect(entry).toMatchObject({ employee: '1001', source: 'sync', client_id: queue.clientId, seq: 1 });
    expect(entry).toMatchObject({ version: after.version, captured_at: new Date(item.captured_at) });
    expect(entry?.edit_time.toISOString()).toBe(before.edit_time);
    expect(entry?.received_at.toISOString()).toBe(before.received_at);
    expect(await quarantineDocument(phone, item.id, 'released')).toEqual({
      state: 'released',
      code: 'STOP_NOT_FOUND',
      reason: 'route R100 has no stop 11',
      version: after.version,
    });
    phone.push(item);
    expect((await phone.next('ack')).results).toMatchObject([{ result: 'duplicate', version: after.version }]);
    expect((await list()).map(({ id }) => id)).not.toContain(item.id);
    expect((await list('?state=released')).map(({ id }) => id)).toContain(item.id);
  });

  test('notifies the phone where a change of its queue is in the same batch', async () => {
    const { queue, phone, item, params } = await kept(19);
    await addStop(19);
    const versionNow = async () => {
      const { rows } = await node.database.pool.query<{ version: number }>(
        'select version::int from client where client_id = $1',
        [queue.clientId],
      );
      return rows[0]?.version ?? 0;
    };
    const before = await versionNow();
    const found = await findQuarantined(node.database.pool, params.quarantine_id, { by: 'MILLER', note: '' });
    if (!found) throw new Error('the quarantine is empty');
    const next = queue.seal('stop.update', { route, stop: { id: 1, updates: { driver_comments: 'the next one' } } });
    const [released, pushed] = await Promise.all([
      node.pipeline.release(found),
      node.pipeline.push(sessionOf(queue, '1001'), [next]),
    ]);
    expect([released.result, pushed.results[0]?.result]).toEqual(['applied', 'applied']);
    expect(await versionNow()).toBe(before + 1);
    await quarantineDocument(phone, item.id, 'released');
  });

  test('simultaneous releases apply it once', async () => {
    const { item, params } = await kept(12);
    await addStop(12);
    const release = () => node.client.take(releaseQuarantined, { headers, params, body: by });
    const answers = await Promise.all([release(), release(), release()]);
    expect(answers.filter(({ changed }) => changed)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.item.version)).size).toBe(1);
    expect(await release()).toMatchObject({
      changed: false,
      item: { state: 'released', resolved_by: 'machine:MILLER' },
    });
    expect(await ledgerOf(item.id)).toHaveLength(1);
  });

  test('a mutation that still cannot be applied remains quarantined, with the reason', async () => {
    const { item, params } = await kept(13);
    const reply = await node.client.call(releaseQuarantined, { headers, params, body: by });
    expect(reply.error?.code).toBe('STOP_NOT_FOUND');
    expect(reply.message).toBe('route R100 has no stop 13');
    expect(await node.client.take(readQuarantined, { headers, params })).toMatchObject({ state: 'open', note: null });
    expect(await ledgerOf(item.id)).toEqual([]);
    const logged = node.log.lines.filter(({ fields }) => 'mutation' in fields && fields.mutation === item.id);
    expect(logged.map(({ message }) => message)).toEqual([
      'a mutation went to quarantine',
      'a mutation stays in quarantine',
    ]);
  });

  test('it counts by its edit time: a later edit wins', async () => {
    const { params } = await kept(14, 'the earlier word');
    await addStop(14);
    const updates = { driver_comments: 'the later word' };
    await node.client.take(syncStops, { as: driver, body: { id: 'R100', stops: [{ id: 14, updates }] } });
    const { changed, item } = await node.client.take(releaseQuarantined, { headers, params, body: by });
    expect([changed, item.state]).toEqual([false, 'released']);
    const { rows } = await node.database.pool.query<{ doc: string }>('select doc from stop_result where stop_id = 14');
    expect(rows[0]?.doc).toContain('the later word');
  });

  test('a text that was altered later is not applied in its author’s name', async () => {
    const { item, params } = await kept(15);
    await addStop(15);
    await node.database.pool.query(
      `update quarantine set body = convert_to(replace(convert_from(body, 'UTF8'), 'road', 'moon'), 'UTF8') where id = $1`,
      [item.id],
    );
    const reply = await node.client.call(releaseQuarantined, { headers, params, body: by });
    expect(reply.error?.code).toBe('VALIDATION_FAILED');
    expect(await ledgerOf(item.id)).toEqual([]);
  });

  test('releases a REST request in its author’s name, too', async () => {
    const body = { id: 'R100', stops: [{ id: 16, updates: { driver_comments: 'by REST' } }] };
    await node.client.call(syncStops, { as: driver, body });
    const entry = (await list()).find(({ stop_id }) => stop_id === 16);
    await addStop(16);
    const params = { quarantine_id: entry?.quarantine_id ?? '' };
    const { item, changed } = await node.client.take(releaseQuarantined, { headers, params, body: by });
    expect(item).toMatchObject({ source: 'rest', client_id: null, state: 'released' });
    expect(changed).toBe(true);
    expect(await ledgerOf(entry?.id ?? '')).toMatchObject([{ employee: '1001', source: 'rest', client_id: null }]);
  });
});

describe('POST /api/ops/quarantine/:id/dismiss', () => {
  test('the driver receives the reason; the entry can still be released, and then no more dismissed', async () => {
    const { phone, item, params } = await kept(21);
    const body = { ...by, reason: 'booked by hand' };
    const dismissed = await node.client.take(dismissQuarantined, { headers, params, body });
    expect(dismissed).toMatchObject({ state: 'dismissed', resolved_by: 'machine:MILLER', note: 'booked by hand' });
    expect(await quarantineDocument(phone, item.id, 'dismissed')).toMatchObject({
      state: 'dismissed',
      note: 'booked by hand (MILLER)',
    });
    phone.push(item);
    expect((await phone.next('ack')).results).toMatchObject([{ result: 'quarantined', code: 'STOP_NOT_FOUND' }]);

    await addStop(21);
    await node.client.take(releaseQuarantined, { headers, params, body: by });
    expect(await quarantineDocument(phone, item.id, 'released')).toMatchObject({ state: 'released' });
    const again = await node.client.call(dismissQuarantined, { headers, params, body });
    expect(again.error?.code).toBe('QUARANTINE_RELEASED');
  });

  test('requires the operators’ token, a name and a reason; an unknown entry is an error', async () => {
    const params = { quarantine_id: '0191e5f0-7f3a-7cc1-9d5e-0a4f6a1b2c3d' };
    const reason = { ...by, reason: 'gone' };
    expect((await node.client.call(readQuarantined, { params })).error?.code).toBe('MISSING_CREDENTIALS');
    expect((await node.client.call(dismissQuarantined, { headers, params, body: by })).error).toMatchObject({
      details: [{ path: 'reason' }],
    });
    for (const sent of [
      node.client.call(readQuarantined, { headers, params }),
      node.client.call(releaseQuarantined, { headers, params, body: by }),
      node.client.call(dismissQuarantined, { headers, params, body: reason }),
    ])
      expect((await sent).error?.code).toBe('QUARANTINE_NOT_FOUND');
  });
});
