import { Unreachable } from '@tailgate/client-sdk';
import { changePassword, resetPassword } from '@tailgate/client-sdk/passwords';
import { beforeAll, expect, test } from 'vitest';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password } from '../support/people.ts';
import { Device, until } from '../support/sdk-device.ts';
import { startSyncNode } from '../support/sync-node.ts';

const newPassword = 'off the road';
let url: string;

beforeAll(async () => {
  const { database, client } = await startSyncNode();
  await insertRoutes(database.pool, [
    { facility: 'F01', id: 'R1', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] },
  ]);
  url = client.url;
});

test('a driver sets a new password: all other sessions end, and the current one continues', async () => {
  const client = await new Device(url).start();
  expect(await client.signUp('1001', password)).toMatchObject({ kind: 'signed_in' });
  await until(client.status, ({ connection }) => connection === 'online');
  const driver = { employeeId: '1001', currentPassword: password };

  expect(await changePassword({ url }, { ...driver, newPassword: 'short' })).toMatchObject({
    kind: 'refused',
    code: 'VALIDATION_FAILED',
    details: [{ path: 'new_password' }],
  });
  const wrong = { ...driver, currentPassword: 'a guess', newPassword };
  expect(await changePassword({ url }, wrong)).toMatchObject({ kind: 'refused', code: 'INVALID_CREDENTIALS' });

  expect(await changePassword({ url: `${url}/` }, { ...driver, newPassword })).toEqual({ kind: 'done' });
  await until(client.driver, (known) => known?.signedIn === false);
  expect(await client.signIn({ employeeId: '1001', password })).toMatchObject({ code: 'INVALID_CREDENTIALS' });
  expect(await client.signIn({ employeeId: '1001', password: newPassword })).toMatchObject({ kind: 'signed_in' });
  await until(client.status, ({ connection }) => connection === 'online');
});

test('a driver who has forgotten the password gets a new one, and the answer does not reveal which ids exist', async () => {
  expect(await resetPassword({ url }, 'NOBODY')).toEqual({ kind: 'done' });
  const offline = { url: 'http://127.0.0.1:9' };
  await expect(resetPassword(offline, '1001')).rejects.toThrow(Unreachable);
});
