import { randomUUID } from 'node:crypto';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Closed, createClient, MemoryStore, openIndexedDb, Unreachable } from '@tailgate/client-sdk';
import { driverPassword, sampleKey } from '@tailgate/client-sdk/testing';
import type { LocalClient } from '../../client-sdk/src/client.ts';
import { EventHub } from '../../client-sdk/src/engine/events.ts';
import { type Status, unknownStatus } from '../../client-sdk/src/engine/status.ts';
import { FollowerTab } from '../../client-sdk/src/tabs/follower-tab.ts';
import { TabBus, type Message } from '../../client-sdk/src/tabs/tab-bus.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { until } from '../support/sdk-device.ts';

vi.stubGlobal('IDBKeyRange', IDBKeyRange);

const driver = { employeeId: '1001', name: 'Dana', signedIn: true, sessionEndsAt: undefined, routesKnown: true };

/** A page whose leader is gone: it has recorded one change, and no page has received it. */
function openFollower() {
  const name = randomUUID();
  const bus = new TabBus(name, (message) => follower.take(message));
  onTestFinished(() => bus.close());
  const follower = new FollowerTab(bus, new EventHub());
  follower.take({ type: 'shows', shown: { of: 'driver', value: driver } });
  const receipt = follower.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'into the gap' } });
  return { name, follower, receipt };
}

test('a page sends its unsaved changes to each new leader, and a saved one no more', async () => {
  const { name, follower, receipt } = openFollower();
  const received: Message[] = [];
  const leader = new TabBus(name, (message) => received.push(message));
  onTestFinished(() => leader.close());
  const records = () => received.flatMap((message) => (message.type === 'records' ? [message.change.by.id] : []));
  /** `listens` is the last message to a new leader. */
  const untilRequested = async (times: number): Promise<void> => {
    await expect.poll(() => received.filter(({ type }) => type === 'listens').length).toBe(times);
  };

  leader.post({ type: 'leads', leader: randomUUID() });
  await untilRequested(1);
  expect(records()).toEqual([receipt.id]);
  // This leader ends before its disk has the change; the next one gets it again.
  leader.post({ type: 'leads', leader: randomUUID() });
  await untilRequested(2);
  expect(records()).toEqual([receipt.id, receipt.id]);
  follower.take({ type: 'shows', shown: { of: 'receipt', id: receipt.id, value: { at: 'saved' } } });
  leader.post({ type: 'leads', leader: randomUUID() });
  await untilRequested(3);
  expect(records()).toEqual([receipt.id, receipt.id]);
});

test('a page asks each new leader again for the receipts that are not on the host, and for its codes and routes', async () => {
  const { name, follower, receipt } = openFollower();
  const wanted: unknown[] = [];
  let listened = 0;
  const leader = new TabBus(name, (message) => {
    if (message.type === 'wants') wanted.push(message.wanted);
    if (message.type === 'listens') listened++;
  });
  onTestFinished(() => leader.close());
  const wantedOf = async (nth: number): Promise<unknown[]> => {
    wanted.length = 0;
    leader.post({ type: 'leads', leader: randomUUID() });
    await expect.poll(() => listened).toBe(nth);
    return [...wanted];
  };
  await wantedOf(1);
  const ofReceipt = { of: 'receipt', id: receipt.id };
  follower.codes('section');
  follower.route(sampleKey);
  follower.take({ type: 'shows', shown: { of: 'receipt', id: receipt.id, value: { at: 'saved' } } });
  expect(await wantedOf(2)).toContainEqual(ofReceipt);
  const hosted = { at: 'on_host', version: 2, evidence: 'complete', superseded: [] } as const;
  follower.take({ type: 'shows', shown: { of: 'receipt', id: receipt.id, value: hosted } });
  const again = await wantedOf(3);
  expect(again).toEqual(
    expect.arrayContaining([
      { of: 'codes', type: 'section' },
      { of: 'route', key: sampleKey },
    ]),
  );
  expect(again).not.toContainEqual(ofReceipt);
});

test('a call outlives the opening of a third page, and ends where another page leads', async () => {
  const { name, follower } = openFollower();
  const asked: string[] = [];
  const leader = new TabBus(name, (message) => message.type === 'asks' && asked.push(message.id));
  onTestFinished(() => leader.close());
  follower.take({ type: 'leads', leader: 'one' });
  const signedOut = follower.signOut();
  follower.take({ type: 'leads', leader: 'one' });
  await expect.poll(() => asked).toHaveLength(1);
  leader.post({ type: 'answers', id: asked[0]!, answer: { kind: 'result', value: true } });
  expect(await signedOut).toBe(true);
  const again = follower.signOut();
  follower.take({ type: 'leads', leader: 'two' });
  await expect(again).rejects.toThrow(Unreachable);
});

test('a page that begins to lead stores its unsaved changes itself', async () => {
  const { follower, receipt } = openFollower();
  let local: LocalClient | undefined;
  const share = async (start: () => Promise<LocalClient>) => (local = await start());
  const store = Object.assign(new MemoryStore(), { share });
  const client = await createClient({ url: 'http://127.0.0.1:9', store });
  onTestFinished(() => client.close());
  if (!local) throw new Error('no client was started');
  follower.handOver(local);
  await expect.poll(() => receipt.current).toMatchObject({ at: 'saved' });
  const items = (await store.readAll('item')).map(({ value }) => value);
  expect(items).toMatchObject([{ employee: '1001', mutation: { id: receipt.id } }]);
});

test('a change that the last leader counted as unsaved counts once while no page leads', async () => {
  const { follower, receipt } = openFollower();
  const status = { ...follower.status.current, pending: { '1001': 1 }, unsaved: 1 };
  follower.take({ type: 'shows', shown: { of: 'receipt', id: receipt.id, value: { at: 'recorded' } } });
  follower.take({ type: 'shows', shown: { of: 'status', value: status } });
  follower.cannotLead('the disk is full');
  expect(follower.status.current).toMatchObject({ pending: { '1001': 1 }, unsaved: 1 });
  follower.updateStop(sampleKey, { id: 2, updates: { driver_comments: 'without a leader' } });
  expect(follower.status.current).toMatchObject({ pending: { '1001': 2 }, unsaved: 2 });
});

test('a change counts as unsaved from the tap on, also beside a leader that does not answer, and never twice', () => {
  const { follower, receipt } = openFollower();
  const { id } = receipt;
  const counts = (unsaved: number): void => {
    const pending = unsaved ? { '1001': unsaved } : {};
    expect(follower.status.current).toMatchObject({ connection: 'online', storage: 'ok', unsaved });
    expect(follower.status.current.pending).toEqual(pending);
    expect(follower.canSignOut()).toBe(unsaved === 0);
  };
  const show = (unsaved: number): void => {
    const pending = unsaved ? { '1001': unsaved } : {};
    const value: Status = { ...unknownStatus, connection: 'online', unsaved, pending };
    follower.take({ type: 'shows', shown: { of: 'status', value } });
  };
  expect(follower.status.current).toMatchObject({ unsaved: 1, pending: { '1001': 1 } });
  follower.take({ type: 'leads', leader: 'one' });
  show(0);
  counts(1);
  follower.take({ type: 'shows', shown: { of: 'receipt', id, value: { at: 'recorded' } } });
  counts(1);
  show(1);
  counts(1);
  // The next leader has not received the change when it tells a third page its status.
  follower.take({ type: 'leads', leader: 'two' });
  show(0);
  counts(1);
  // It found the change on the disk.
  follower.take({ type: 'shows', shown: { of: 'receipt', id, value: { at: 'saved' } } });
  counts(0);
});

/** A page that has recorded a change beside a frozen one, which has the lock until `crash`. */
async function openBesideFrozen(patienceMs: number) {
  const [name, indexedDB] = [randomUUID(), new IDBFactory()];
  const crashed = Promise.withResolvers<void>();
  onTestFinished(() => crashed.resolve());
  void navigator.locks.request(`tailgate:${name}`, () => crashed.promise);
  const frozen = new TabBus(name, ({ type }) => {
    if (type !== 'arrived') return;
    frozen.post({ type: 'shows', shown: { of: 'driver', value: driver } });
    frozen.post({ type: 'shows', shown: { of: 'route', key: undefined, value: undefined } });
  });
  onTestFinished(() => frozen.close());
  const store = await openIndexedDb(name, { indexedDB, patienceMs });
  const client = await createClient({ url: 'http://127.0.0.1:9', store });
  const receipt = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'beside a frozen page' } });
  const stored = async () =>
    (await (await openIndexedDb(name, { indexedDB })).readAll('item')).map(({ value }) => value);
  return { client, receipt, crash: () => crashed.resolve(), stored };
}

test('a page does not close while its change is in memory only, and works on', async () => {
  const { client, receipt, crash } = await openBesideFrozen(50);
  expect(client.status.current.unsaved).toBe(1);
  expect(client.canSignOut()).toBe(false);
  await expect(client.close()).rejects.toThrow(Unreachable);
  const second = client.updateStop(sampleKey, { id: 2, updates: { driver_comments: 'still open' } });
  crash();
  await Promise.all([receipt.saved, second.saved]);
  await client.close();
});

test('a closing page saves its change itself, where the leader ends meanwhile', async () => {
  const { client, receipt, crash, stored } = await openBesideFrozen(5_000);
  const closed = client.close();
  expect(() => client.updateStop(sampleKey, { id: 2, updates: { status: 'D' } })).toThrow(Closed);
  crash();
  await closed;
  expect(receipt.current.at).toBe('saved');
  expect(await stored()).toMatchObject([{ mutation: { id: receipt.id } }]);
});

test('a page that could not open the store tries again to lead; until then its tap counts as unsaved', async () => {
  const { url } = await startScriptedServer();
  const [name, indexedDB] = [randomUUID(), new IDBFactory()];
  const first = await createClient({ url, store: await openIndexedDb(name, { indexedDB }) });
  await first.signIn({ employeeId: '1001', password: driverPassword });
  await until(first.route(), (route) => route !== undefined);
  const store = await openIndexedDb(name, { indexedDB });
  const second = await createClient({ url, store });
  onTestFinished(() => second.close());
  await until(second.route(), (route) => route !== undefined);

  const read = vi.spyOn(store, 'readAll').mockRejectedValue(new Error('the connection was lost'));
  await first.close();
  await until(second.status, ({ storage }) => storage === 'failing');
  const receipt = second.updateStop(sampleKey, { id: 1, updates: { status: 'D' } });
  expect(second.status.current).toMatchObject({ connection: 'offline', unsaved: 1, pending: { '1001': 1 } });
  expect(second.canSignOut()).toBe(false);
  read.mockRestore();
  await receipt.accepted;
  await until(second.status, ({ storage, unsaved }) => storage === 'ok' && unsaved === 0);
  expect(second.canSignOut()).toBe(true);
});

test('a sign-out that is repeated at the next leader leaves the driver signed in who came since', async () => {
  const { url } = await startScriptedServer();
  const [name, indexedDB] = [randomUUID(), new IDBFactory()];
  const leaving = Promise.withResolvers<void>();
  const fetchOfFirst: typeof fetch = (input, init) => {
    const path = input instanceof Request ? input.url : input.toString();
    if (!path.endsWith('/signout')) return fetch(input, init);
    leaving.resolve();
    // No answer comes before this page closes.
    return new Promise(() => {});
  };
  const first = await createClient({ url, fetch: fetchOfFirst, store: await openIndexedDb(name, { indexedDB }) });
  await first.signIn({ employeeId: '1001', password: driverPassword });
  const second = await createClient({ url, store: await openIndexedDb(name, { indexedDB }) });
  onTestFinished(() => second.close());
  const signedOut = second.signOut();
  await leaving.promise;
  await second.signIn({ employeeId: '1002', password: driverPassword });
  await first.close();
  expect(await signedOut).toBe(true);
  expect(second.driver.current).toMatchObject({ employeeId: '1002' });
});

test('a closed client records nothing more, from the first step of its end: another one may have its store', async () => {
  const { url } = await startScriptedServer();
  const [name, indexedDB] = [randomUUID(), new IDBFactory()];
  const open = async () => createClient({ url, store: await openIndexedDb(name, { indexedDB }) });
  const old = await open();
  await old.signIn({ employeeId: '1001', password: driverPassword });
  const stop = old.stop(1, sampleKey);
  await until(stop, (is) => is !== undefined);

  const before = stop.update({ updates: { driver_comments: 'in time' } });
  const drafted = stop.draft.set('in time');
  const closed = old.close();
  expect(() => stop.update({ updates: { driver_comments: 'in the same step' } })).toThrow(Closed);
  await Promise.all([closed, drafted, before.saved]);
  const next = await open();
  onTestFinished(() => next.close());

  expect(() => stop.skip()).toThrow(Closed);
  for (const refused of [stop.draft.set('late'), stop.seen(), old.withdraw(before.id), old.acknowledge(before.id)])
    await expect(refused).rejects.toThrow(Closed);
  await expect(old.signOut()).rejects.toThrow(Closed);
  expect(next.stop(1, sampleKey).current).toMatchObject({ draft: 'in time', updates: { driver_comments: 'in time' } });
  expect(next.receipt(before.id)).toBeDefined();
});
