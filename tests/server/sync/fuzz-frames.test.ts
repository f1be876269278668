import { clientFrame, closeCodes, routeScope } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { brokenBytes, arbitraryJson, corrupted, textOf, valuesOf } from '../../support/fuzz/json-values.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import { TestQueue } from '../../support/sealing.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261121' };
let node: SyncNode;
let driver: Signed;

beforeAll(async () => {
  node = await startSyncNode();
  const route = { ...key, weekEnd: key.week_end };
  const stops = [plan(1), plan(999, 0)];
  await insertRoutes(node.database.pool, [
    { ...route, drivers: ['1001'], stops },
    { ...route, id: 'R200', drivers: ['1002'], stops },
  ]);
  driver = await signUp(node.client, '1001');
});

const words = {
  type: ['push', 'hello', 'gone', 'subscribe', 'ping', 'nothing'],
  employee_id: ['1001', '1002'],
  scopes: [routeScope(key), routeScope({ ...key, id: 'R200' }), 'codes:all', 'client:x'],
  seq: [1, 2],
  from: [1, 2 ** 31],
  to: [1],
  protocol: [1, 99],
};
const frames = fc.oneof(...clientFrame.def.options.map((option) => valuesOf(option, words)));
const hostile = fc.oneof(
  { weight: 3, arbitrary: frames.map(textOf) },
  { weight: 4, arbitrary: corrupted(frames).map(textOf) },
  { weight: 1, arbitrary: arbitraryJson.map(textOf) },
  { weight: 2, arbitrary: brokenBytes(frames.map(textOf)) },
);
/** The permitted ends of a connection: as documented, as in RFC 6455, or 1007 for text that is not UTF-8. */
const endings = new Set<number>([...Object.values(closeCodes), 1000, 1001, 1007, 1009, 1013]);

test('the server answers or ignores every frame, saves nothing and disturbs no other phone', async () => {
  const healthy = await Phone.connect(node.socketUrl);
  await healthy.signOn(driver);
  const connection = fc.record({
    greets: fc.boolean(),
    binary: fc.nat(9),
    texts: fc.array(hostile, { minLength: 1, maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(connection, async ({ greets, binary, texts }) => {
      const phone = await Phone.connect(node.socketUrl);
      if (greets) await phone.signOn(driver);
      // As text, for any bytes; now and then as a binary frame.
      for (const text of texts) phone.sendRaw(binary === 0 ? text : text.toString());
      phone.sendRaw('not json');
      phone.sendRaw('not json');
      phone.sendRaw('not json');
      const { code } = await phone.untilClosed();
      expect(endings, `closed with ${code}`).toContain(code);
      // The phone has checked each received frame against the schemas.
      const received = phone.frames.filter((frame) => frame.type === 'patch' || frame.type === 'snapshot');
      expect(received.filter(({ scope }) => scope.includes('R200'))).toEqual([]);
    }),
    { numRuns: 300 },
  );
  const { rows } = await node.database.pool.query<{ saved: number }>(
    `select (select count(*) from ledger) + (select count(*) from stop_result where version > 1) as saved`,
  );
  expect(rows).toEqual([{ saved: 0 }]);
  healthy.send({ type: 'ping' });
  await healthy.next('pong');
  const queue = new TestQueue();
  const phone = await Phone.connect(node.socketUrl, queue.clientId);
  expect((await phone.signOn(driver)).last_seq).toBe(0);
}, 60_000);
