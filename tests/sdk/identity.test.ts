import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { platform } from '../../client-sdk/src/platform/environment.ts';
import type { LocalStop } from '@tailgate/client-sdk';
import { driverPassword, sampleKey } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { copyOf } from '../support/store-copy.ts';

const day = 86_400_000;
const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });

describe('queue numbers and queue identity', () => {
  test('a phone restored from a backup continues as a new queue; ids stay, no change is lost or doubled', async () => {
    const server = await startScriptedServer();
    const phone = new Device(server.url);
    const client = await phone.startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    await client.updateStop(sampleKey, comment(1, 'before the backup')).accepted;
    await phone.kill();
    const restored = new Device(server.url, { store: await copyOf(phone.store) });
    const lost = await phone.start();
    await lost.updateStop(sampleKey, comment(2, 'after the backup')).accepted;
    await phone.kill();

    const again = await restored.start();
    const receipt = again.updateStop(sampleKey, comment(3, 'after the restore'));
    await receipt.accepted;
    expect(server.ledger.queues.size).toBe(2);
    expect(server.ledger.taken.map((entry) => entry.stop)).toEqual([1, 2, 3]);
    expect(server.ledger.taken.at(-1)?.mutation).toMatchObject({ id: receipt.id, seq: 1, prev_hash: null });
    expect(again.stop(2).current?.updates.driver_comments).toBe('after the backup');
    // One connection continues it, not two.
    const hellos = server.heard.flatMap((frame) => (frame.type === 'hello' ? [frame.client_id] : []));
    expect(hellos.filter((queue) => queue === hellos.at(-1))).toHaveLength(1);
    await restored.kill();
    // The new queue name is on the disk, too.
    await (await restored.start()).updateStop(sampleKey, comment(1, 'next day')).accepted;
    expect(server.ledger.queues.size).toBe(2);
    expect(server.ledger.chainBreaks).toBe(0);
  });

  test('the numbers of an offline clone are already taken: its changes get new numbers and arrive', async () => {
    const server = await startScriptedServer();
    const phone = new Device(server.url);
    const first = await phone.startSignedIn();
    await until(first.route(), (route) => route !== undefined);
    await phone.kill();
    const clone = new Device(server.url, { store: await copyOf(phone.store) });
    const one = await phone.start();
    const two = await clone.start();
    const receipts = [1, 2, 3].flatMap((stop) => [
      one.updateStop(sampleKey, comment(stop, 'phone')),
      two.updateStop(sampleKey, { id: stop, updates: { store_emp_name: 'clone' } }),
    ]);
    await Promise.all(receipts.map((receipt) => receipt.accepted));
    expect(server.ledger.taken.map((entry) => entry.id).sort()).toEqual(receipts.map((receipt) => receipt.id).sort());
    // Each phone shows its own value at once, and the other one's with the feed.
    const isWhole = (stop?: LocalStop): boolean =>
      stop?.updates.store_emp_name === 'clone' && stop.updates.driver_comments === 'phone';
    for (const client of [one, two]) await until(client.stop(3), isWhole);
  });

  test('a restored server gets its lost changes again, in order, hosted or not', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    await client.updateStop(sampleKey, comment(1, 'in the backup')).accepted;
    const backup = server.ledger.backup();
    const hosted = client.updateStop(sampleKey, comment(2, 'hosted'));
    await hosted.accepted;
    server.host();
    await hosted.onHost;
    const accepted = client.updateStop(sampleKey, comment(3, 'accepted'));
    await accepted.accepted;

    server.ledger = backup;
    server.ledger.epoch = 2;
    server.cut();
    await server.until(() => server.ledger.taken.length === 3);
    await until(client.status, (status) => Object.keys(status.pending).length === 0);
    expect(server.ledger.taken.map((entry) => entry.id).slice(1)).toEqual([hosted.id, accepted.id]);
    expect(server.ledger.gone).toEqual([]);
    expect(server.ledger.chainBreaks).toBe(0);
    // Numbers of the old epoch have no meaning: the host's confirmation must come again.
    expect(hosted.current.at).toBe('accepted');
    server.host();
    await Promise.all([hosted.onHost, accepted.onHost]);
    const view = await until(client.stop(3), (stop) => stop?.updates.driver_comments === 'accepted');
    expect(view?.pending).toBe(0);
  });

  test.each([
    { when: 'refuses its token', knows: false, kills: false },
    { when: 'is there when its app starts', knows: true, kills: true },
    { when: 'is there when its app wakes', knows: true, kills: false },
  ])('a phone without a session sends lost changes to a restored server that $when', async ({ knows, kills }) => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    await client.updateStop(sampleKey, comment(1, 'in the backup')).accepted;
    const backup = server.ledger.backup();
    const receipt = client.updateStop(sampleKey, comment(2, 'accepted'));
    await receipt.accepted;
    const isSignedOut = until(client.status, ({ connection }) => connection === 'signed_out');
    if (!knows) server.tokens.clear();
    for (const token of server.tokens.keys()) server.revoke(token);
    if (knows) await isSignedOut;
    if (kills) await device.kill();

    server.ledger = backup;
    server.ledger.epoch = 2;
    server.cut();
    if (kills) await device.start();
    else if (knows) client.syncNow();
    await server.until(() => server.ledger.taken.length === 2);
    expect(server.ledger.taken.at(-1)?.id).toBe(receipt.id);
  });

  test('the client declares the changes that this device has lost, and then sends the next ones', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const backup = server.ledger.backup();
    const receipts = [1, 2, 3].map((stop) => client.updateStop(sampleKey, comment(stop, 'x')));
    await Promise.all(receipts.map((receipt) => receipt.accepted));
    server.host();
    await Promise.all(receipts.map((receipt) => receipt.onHost));
    await device.kill();

    // Eight days later the items are off the device. Then the server is restored.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * day });
    onTestFinished(() => void vi.useRealTimers());
    const later = await device.start();
    await until(later.status, (status) => status.connection === 'online');
    expect(later.receipt(receipts[0]!.id)).toBeUndefined();
    backup.epoch = 2;
    server.ledger = backup;
    server.cut();
    const next = later.updateStop(sampleKey, comment(1, 'after the loss'));
    await next.accepted;
    expect(server.ledger.gone).toEqual([{ from: 1, to: 3 }]);
    expect(server.ledger.taken.map((entry) => entry.mutation.seq)).toEqual([4]);
    expect(later.status.current.lastError?.code).toBe('GONE');
  });

  test.each([
    { jump: 'forward', before: 0, after: 40 },
    { jump: 'to the right time, from the one after an empty battery', before: -400, after: 0 },
  ])('a jump of the phone’s clock $jump deletes no change that the host lacks', async ({ before, after }) => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const clockAt = (days: number) => ({ ...platform.clock, now: () => Date.now() + days * day });
    const client = await device.start({ clock: clockAt(before) });
    await client.signIn({ employeeId: '1001', password: driverPassword });
    await until(client.route(), (route) => route !== undefined);
    const { id, accepted } = client.updateStop(sampleKey, comment(1, 'accepted'));
    await accepted;
    await device.kill();
    const later = await device.start({ clock: clockAt(after) });
    await until(later.status, (status) => status.connection === 'online');
    expect(later.receipt(id)?.current.at).toBe('accepted');
    expect(later.dayComplete()).toBe(false);
  });
});
