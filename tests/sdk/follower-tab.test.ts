import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, MemoryStore } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import type { LocalClient } from '../../client-sdk/src/client.ts';
import { EventHub } from '../../client-sdk/src/engine/events.ts';
import { FollowerTab } from '../../client-sdk/src/tabs/follower-tab.ts';
import { TabBus, type Message } from '../../client-sdk/src/tabs/tab-bus.ts';

/** A page whose leader is gone: it has recorded one change, and no page has received it. */
function openFollower() {
  const name = randomUUID();
  const bus = new TabBus(name, (message) => follower.take(message));
  onTestFinished(() => bus.close());
  const follower = new FollowerTab(bus, new EventHub());
  const driver = { employeeId: '1001', name: 'Dana', signedIn: true, sessionEndsAt: undefined, routesKnown: true };
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

  leader.post({ type: 'leads' });
  await untilRequested(1);
  expect(records()).toEqual([receipt.id]);
  // This leader ends before its disk has the change; the next one gets it again.
  leader.post({ type: 'leads' });
  await untilRequested(2);
  expect(records()).toEqual([receipt.id, receipt.id]);
  follower.take({ type: 'shows', shown: { of: 'receipt', id: receipt.id, value: { at: 'saved' } } });
  leader.post({ type: 'leads' });
  await untilRequested(3);
  expect(records()).toEqual([receipt.id, receipt.id]);
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
