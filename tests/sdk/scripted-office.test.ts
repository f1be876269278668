import { createClient, MemoryStore } from '@tailgate/client-sdk';
import type { ScriptedOptions } from '@tailgate/client-sdk/testing';
import { codeDocuments, driverPassword, routeDocuments, sampleKey, ScriptedServer } from '@tailgate/client-sdk/testing';
import type { RouteHeader, StopPlan } from '@tailgate/sync-protocol';
import { planDocument, stopPlan } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { atFileEnd } from '../support/file-end.ts';
import { until } from '../support/sdk-device.ts';

/** A client in the process of its scripted server. */
async function open(options: ScriptedOptions = {}) {
  const server = new ScriptedServer(options);
  const { url, fetch, WebSocket } = server;
  const timing = { retryBaseMs: 20, retryCapMs: 200 };
  const client = await createClient({ url, fetch, WebSocket, timing, store: new MemoryStore() });
  atFileEnd(async () => {
    await client.close();
    await server.stop();
  });
  expect(await client.signIn({ employeeId: '1001', password: driverPassword })).toMatchObject({ kind: 'signed_in' });
  const route = await until(client.route(), (shown) => shown !== undefined);
  return { server, client, route };
}

const plans = (options: ScriptedOptions): StopPlan[] => {
  const { documents } = new ScriptedServer(options).ledger;
  return (options.stops ?? []).map((stop) => stopPlan.parse(documents.get(planDocument(stop))?.value));
};

test('the host confirms by itself after its delay, and without a delay only when asked', async () => {
  const quick = await open({ hostDelayMs: 5 });
  await quick.client.updateStop(sampleKey, { id: 1, updates: { status: 'D' } }).onHost;
  await quick.client.updateStop(sampleKey, { id: 2, updates: { status: 'D' } }).onHost;
  expect(quick.server.ledger.hostedThrough).toBe(quick.server.ledger.version);

  const { server, client } = await open();
  const receipt = client.updateStop(sampleKey, { id: 1, updates: { status: 'D' } });
  await receipt.accepted;
  expect(server.ledger.hostedThrough).toBe(1);
  server.host();
  await receipt.onHost;
});

test('a route of its own comes with its stops, names and code lists', async () => {
  const header: RouteHeader = {
    ...{ facility: 'F07', id: 'S1', week_end: '20261205', name: 'North', status: 'O', arrived: false },
    ...{ closed_at: null, closed_by: null, withdrawn: false, autoclose_at: null, forceclose_at: null },
    drivers: [{ id: '1001', name: 'Ada Lund', type: 'DRIVER' }],
  };
  const reason = { category: 'DAMAGE', driver_visible: true, requires_photo: true, requires_comment: false };
  const code = {
    type: 'credit-reason',
    code: '20',
    description: 'Damaged',
    stop_type: '',
    sort: 1,
    ...reason,
  } as const;
  const documents = routeDocuments(header, plans({ stops: [4, 7] }));
  const { server, client, route } = await open({ documents });
  server.codes = codeDocuments([code]);
  server.cut();
  await until(client.codes('credit-reason'), ([first]) => first?.description === 'Damaged');
  expect(client.driver.current?.name).toBe('Ada Lund');
  expect(route).toMatchObject({ id: 'S1', name: 'North', stops: [{ id: 4 }, { id: 7 }] });
  const receipt = client.stop(7).deliver({ driver_comments: 'at the dock' });
  server.host();
  await receipt.accepted;
  server.host();
  await receipt.onHost;
});

test('an arrival at the warehouse starts the timer of the office, and a close ends it', async () => {
  const { server, client } = await open({ stops: [1, 999], closeDelayMs: 600_000 });
  client.stop(999).arrive(new Date());
  const counting = await until(client.route(), (route) => route?.arrived === true);
  expect(Date.parse(counting?.autoclose_at ?? '')).toBeGreaterThan(Date.now());
  client.stop(999).deliver({});
  const closed = await until(client.route(), (route) => route?.status === 'C');
  expect(closed).toMatchObject({ closed_by: 'D', autoclose_at: null });
  expect(server.ledger.header.closed_at).not.toBeNull();
});

test('the timer of the office closes the route of a driver who does not', async () => {
  const { client } = await open({ stops: [1, 999], closeDelayMs: 10 });
  client.stop(999).arrive(new Date());
  const closed = await until(client.route(), (route) => route?.status === 'C');
  expect(closed).toMatchObject({ arrived: true, closed_by: 'A' });
});

test('a later edit of another phone that arrives first is a conflict, once', async () => {
  const { server, client } = await open();
  server.overtake({ id: 2, updates: { driver_comments: 'theirs' } });
  await client.stop(2).arrive(new Date()).accepted;
  expect(client.conflicts.current).toEqual([]);
  const first = client.updateStop(sampleKey, { id: 2, updates: { driver_comments: 'mine' } });
  const [conflict] = await until(client.conflicts, (conflicts) => conflicts.length > 0);
  expect(conflict).toMatchObject({ id: first.id, stop: 2, mine: 'mine', theirs: 'theirs' });
  await client.acknowledge(first.id);
  // The other phone's edit is dated a millisecond after the change that it overtakes.
  const answered = Date.now();
  await expect.poll(() => Date.now()).toBeGreaterThan(answered + 1);
  await client.updateStop(sampleKey, { id: 2, updates: { driver_comments: 'mine again' } }).accepted;
  expect(client.conflicts.current).toEqual([]);
});
