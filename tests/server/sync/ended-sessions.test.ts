import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { password, signIn, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

let node: SyncNode;
let far: SyncNode;
beforeAll(async () => {
  node = await startSyncNode();
  await insertRoutes(node.database.pool, [
    { facility: 'F01', id: 'R1', weekEnd: '20261121', drivers: ['1001', '1002'], stops: [plan(1)] },
  ]);
  for (const employee of ['1001', '1002']) await signUp(node.client, employee);
  far = await startSyncNode({ database: node.database });
});

/** Ways in which a session ends without its phone, and the code that the phone receives. */
const endings: [string, (as: Signed) => Promise<unknown>][] = [
  ['evicted', () => signIn(node.client, '1002', { confirm_login: true })],
  ['signed_out', (as) => node.client.take(operations.signOut, { as })],
  [
    'password_changed',
    ({ employee_id }) =>
      node.client.take(operations.updatePassword, {
        body: { employee_id, current_password: password, new_password: 'off the road' },
      }),
  ],
  [
    'unregistered',
    ({ employee_id }) =>
      runOpsCommand(parseOpsCommand(['unregister', employee_id]), node.database.pool, {
        autocloseSeconds: 600,
        keyFile: '',
      }),
  ],
];

describe('contract §2: a session that ends elsewhere', () => {
  test.each(endings)('%s: the phone is notified, on another node too, and its queue continues', async (reason, end) => {
    const as = await signIn(node.client, '1001', { confirm_login: true });
    const phone = await Phone.connect(far.socketUrl);
    const { queue_key = '' } = await phone.signOn(as);
    await end(as);
    expect(await phone.next('session')).toMatchObject({ state: 'revoked', reason });
    phone.push({ id: '00000000-0000-7000-8000-000000000001', seq: 1 });
    expect(await phone.next('ack')).toMatchObject({ last_seq: 1 });
    phone.terminate();
    const again = await Phone.connect(node.socketUrl, phone.clientId);
    expect(await again.signOn({ employee_id: '1001', queue_key })).toMatchObject({ last_seq: 1 });
    if (reason === 'password_changed')
      await node.client.take(operations.updatePassword, {
        body: { employee_id: '1001', current_password: 'off the road', new_password: password },
      });
  });

  test('is noticed as soon as notifications are back, where its own was lost', async () => {
    const { database } = node;
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    // No sweep looks at its sessions.
    const deaf = await startSyncNode({
      database,
      listenUrl: proxy.through(database.url),
      limits: { sweep_ms: 3_600_000 },
    });
    const as = await signIn(node.client, '1002', { confirm_login: true });
    const phone = await Phone.connect(deaf.socketUrl);
    await phone.signOn(as);
    proxy.refuse();
    proxy.cut();
    await node.client.take(operations.signOut, { as });
    await proxy.accept();
    expect(await phone.next('session')).toMatchObject({ state: 'revoked', reason: 'signed_out' });
  });
});
