import { sampleKey } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });

test('a review without an open page is in the inbox of the next page, and its event waits for a listener', async () => {
  const server = await startScriptedServer();
  server.ledger.poisoned.add(2);
  const device = new Device(server.url);
  const worker = await device.startSignedIn();
  const { id, accepted } = worker.updateStop(sampleKey, comment(2, 'a poison'));
  await expect(accepted).rejects.toThrow('poison');
  await device.kill();

  const page = await device.start();
  const [entry] = page.review.current;
  expect(entry).toMatchObject({
    id,
    employee: '1001',
    stop: 2,
    name: 'stop.update',
    code: 'INTERNAL',
    reason: 'poison',
  });
  expect(entry).toMatchObject({ acknowledged: false, dismissed: undefined });
  expect(entry?.receipt).toBe(page.receipt(id));
  const review = await new Promise((resolve) => page.on('quarantined', resolve));
  expect(review).toMatchObject({ id, reason: 'poison' });
  await page.acknowledge(id);
  // The change still waits for the office: the list explains why the day is not complete.
  expect(page.review.current).toMatchObject([{ id, acknowledged: true }]);
  server.review(id, 'the stop was a mistake');
  await until(page.review, ([change]) => change?.dismissed === 'the stop was a mistake' && !change.acknowledged);
  await device.kill();

  const next = await device.start();
  const dismissals: string[] = [];
  next.on('quarantined', (event) => dismissals.push(event.dismissed ?? 'open'));
  expect(next.review.current).toMatchObject([{ id, dismissed: 'the stop was a mistake' }]);
  await next.acknowledge(id);
  expect(next.review.current).toEqual([]);
  await device.kill();
  expect((await device.start()).review.current).toEqual([]);
  expect(dismissals).toEqual([]);
});

test('a released change leaves the inbox', async () => {
  const server = await startScriptedServer();
  server.ledger.poisoned.add(2);
  const page = await new Device(server.url).startSignedIn();
  const { id, accepted } = page.updateStop(sampleKey, comment(2, 'a poison'));
  await expect(accepted).rejects.toThrow('poison');
  expect(page.review.current).toHaveLength(1);
  server.review(id);
  await until(page.review, (review) => review.length === 0);
});

test('a conflict without an open page stays on its stop until it is acknowledged', async () => {
  const server = await startScriptedServer();
  const device = new Device(server.url);
  const worker = await device.startSignedIn();
  await until(worker.stop(1), (stop) => stop !== undefined);
  server.refuse = true;
  server.cut();
  const { id } = worker.updateStop(sampleKey, comment(1, 'mine'));
  await until(worker.status, ({ connection }) => connection === 'offline');
  server.edit(comment(1, 'theirs'), Date.now() + 60_000);
  server.refuse = false;
  const lost = await until(worker.stop(1), (stop) => stop?.conflicts.length === 1);
  const conflict = { id, stop: 1, path: 'updates.driver_comments', mine: 'mine', theirs: 'theirs' };
  expect(lost?.conflicts).toMatchObject([conflict]);
  server.host();
  await worker.receipt(id)?.onHost;
  await device.kill();

  const page = await device.start();
  expect(page.stop(1).current?.conflicts).toMatchObject([conflict]);
  expect(page.conflicts.current).toMatchObject([conflict]);
  expect(await new Promise((resolve) => page.on('conflict', resolve))).toMatchObject(conflict);
  await page.acknowledge(id);
  expect(page.stop(1).current?.conflicts).toEqual([]);
  expect(page.conflicts.current).toEqual([]);
  await device.kill();
  const next = await device.start();
  expect(next.conflicts.current).toEqual([]);
  await expect(next.acknowledge('no such change')).resolves.toBe(false);
});

test('the inbox shows the entries of the current driver', async () => {
  const server = await startScriptedServer();
  server.ledger.poisoned.add(2);
  const page = await new Device(server.url).startSignedIn('1001');
  const { accepted } = page.updateStop(sampleKey, comment(2, 'a poison'));
  await expect(accepted).rejects.toThrow('poison');
  await page.signOut();
  await page.signIn({ employeeId: '1002', password: 'secret-of-driver' });
  expect(page.review.current).toEqual([]);
  await page.signOut();
  expect(page.review.current).toMatchObject([{ employee: '1001' }]);
});
