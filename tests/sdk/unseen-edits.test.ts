import { MemoryStore } from '@tailgate/client-sdk';
import { sampleKey, sampleScope } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { startAppRun } from '../support/app-run.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const minutesFromNow = (minutes: number): number => Date.now() + minutes * 60_000;
const comment = (id: number, driver_comments: string) => ({ id, updates: { driver_comments } });

async function onTheRoad() {
  const server = await startScriptedServer();
  const device = new Device(server.url, { store: new MemoryStore() });
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  await client.updateStop(sampleKey, comment(1, 'dock 4')).accepted;
  return { server, device, client };
}

test('an edit of the office stays with both values until it is seen, through restarts', async () => {
  const { server, device, client } = await onTheRoad();
  const at = minutesFromNow(1);
  server.amend(comment(1, 'dock 5'), at, 'ANN');
  const stop = await until(client.stop(1), (each) => each?.unseen.length === 1);
  const edit = { path: 'updates.driver_comments', before: 'dock 4', after: 'dock 5', by: 'ANN', at };
  expect(stop?.unseen).toEqual([edit]);
  expect(client.stop(2).current?.unseen).toEqual([]);
  await client.updateStop(sampleKey, comment(2, 'stores the edit, too')).saved;
  await device.kill();
  const again = await device.start();
  expect(again.stop(1).current?.unseen).toEqual([edit]);
  await again.stop(1).seen();
  expect(again.stop(1).current?.unseen).toEqual([]);
  expect(again.stop(1).current?.amended).toHaveLength(1);
  await device.kill();
  expect((await device.start()).stop(1).current?.unseen).toEqual([]);
});

test('two edits of a field are one, from the first value to the last; a value that is back is none', async () => {
  const { server, client } = await onTheRoad();
  server.amend(comment(1, 'dock 5'), minutesFromNow(1));
  server.amend(comment(1, 'dock 6'), minutesFromNow(2));
  const stop = await until(client.stop(1), (each) => each?.unseen[0]?.after === 'dock 6');
  expect(stop?.unseen).toMatchObject([{ before: 'dock 4', after: 'dock 6' }]);
  server.amend(comment(1, 'dock 4'), minutesFromNow(3));
  await until(client.stop(1), (each) => each?.updates.driver_comments === 'dock 4');
  expect(client.stop(1).current?.unseen).toEqual([]);
});

test('an edit that came while the app was closed is unseen at its next start', async () => {
  const { server, device, client } = await onTheRoad();
  await client.stop(2).skip().accepted;
  await device.kill();
  server.amend(comment(1, 'dock 7'), minutesFromNow(1));
  const again = await device.start();
  const stop = await until(again.stop(1), (each) => each?.unseen.length === 1);
  expect(stop?.unseen).toMatchObject([{ before: 'dock 4', after: 'dock 7' }]);
});

test('a later edit of the driver ends it', async () => {
  const { server, client } = await onTheRoad();
  server.amend(comment(3, 'ring twice'), minutesFromNow(1));
  await until(client.stop(3), (each) => each?.unseen.length === 1);
  client.updateStop(sampleKey, comment(3, 'rang twice'));
  await until(client.stop(3), (each) => each?.updates.driver_comments === 'rang twice');
  expect(client.stop(3).current?.unseen).toEqual([]);
});

test('unseen edits of another route go after a week; those of the driver’s route stay', async () => {
  const { server, device, client } = await onTheRoad();
  server.amend(comment(1, 'dock 5'), minutesFromNow(1));
  await until(client.stop(1), (each) => each?.unseen.length === 1);
  await client.updateStop(sampleKey, comment(2, 'stores the edit, too')).saved;
  await device.kill();
  const edits = async () => (await device.store.readAll('setting')).filter(({ key }) => key.startsWith('edits/'));
  const [row] = await edits();
  const other = JSON.stringify(row?.value).replace(sampleScope, 'route:F01:R900:20261121');
  /** @param age of both rows. @param ahead of the phone's clock */
  const start = async (age: number, ahead: number) => {
    for (const [key, text] of [
      [row?.key ?? '', JSON.stringify(row?.value)],
      ['edits/route:F01:R900:20261121/1', other],
    ] as const) {
      const value: unknown = JSON.parse(text.replace(/"since":\d+/, `"since":${Date.now() - age}`));
      await device.store.write([{ put: 'setting', key, value }], 'strict');
    }
    const again = await device.start(startAppRun({ ms: 0, wallMs: ahead }).environment);
    await until(again.status, ({ connection }) => connection === 'online');
    await again.close();
    return (await edits()).map(({ key }) => key);
  };
  // A clock that jumps makes none of them old.
  expect(await start(0, 8 * 86_400_000)).toHaveLength(2);
  expect(await start(8 * 86_400_000, 0)).toEqual([row?.key]);
});
