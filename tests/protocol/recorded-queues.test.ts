import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { protocolHistory, pushAnswer } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { insertRoutes, plan } from '../support/mirror.ts';
import { signUp } from '../support/people.ts';
import { Phone } from '../support/phone.ts';
import type { Signed } from '../support/rest-client.ts';
import type { SyncNode } from '../support/sync-node.ts';
import { startSyncNode } from '../support/sync-node.ts';

const folder = join(import.meta.dirname, 'recorded');

/**
 * A queue as a phone of that version sealed it, with the result of each item. It never changes after its version is
 * released.
 */
const recorded = z.object({
  client_id: z.uuid(),
  mutations: z.array(z.record(z.string(), z.unknown())),
  results: z.array(z.object({ result: z.string(), code: z.optional(z.string()), status: z.optional(z.string()) })),
});
const read = (version: number) =>
  recorded.parse(JSON.parse(readFileSync(join(folder, `v${version}/queue.json`), 'utf8')));

let node: SyncNode;
let driver: Signed;

beforeAll(async () => {
  node = await startSyncNode();
  await insertRoutes(node.database.pool, [
    { facility: 'F01', id: 'R1', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1), plan(2)] },
  ]);
  driver = await signUp(node.client, '1001');
});

test('every released version has a recorded queue', () => {
  expect(new Set(readdirSync(folder))).toEqual(new Set(protocolHistory.map(({ version }) => `v${version}`)));
});

// A phone that was off for a year brings what it recorded then.
describe.each(protocolHistory)('the recorded queue of version $version', ({ version: protocol }) => {
  test('gets the recorded result for each item with an intact chain; sent again over HTTP, each item is a duplicate', async () => {
    const { client_id, mutations, results } = read(protocol);
    const phone = await Phone.connect(node.socketUrl, client_id);
    await phone.signOn(driver, { protocol });
    phone.push(...mutations);
    const ack = await phone.next('ack');
    expect(ack.results).toMatchObject(results);
    const { rows } = await node.database.pool.query('select kind from incident where client_id = $1', [client_id]);
    expect(rows).toEqual([]);

    const response = await fetch(`${node.client.url}/api/sync/push`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...driver },
      body: JSON.stringify({ protocol, client_id, mutations }),
    });
    const again = pushAnswer.parse(await response.json());
    expect(again.last_seq).toBe(mutations.length);
    expect(again.results.map(({ result }) => result)).toEqual(
      results.map(({ result }) => (result === 'applied' ? 'duplicate' : result)),
    );
  });

  test('is stored byte for byte, with members that this build does not support', async () => {
    const { mutations } = read(protocol);
    const { rows } = await node.database.pool.query<{ id: string }>(
      `select id from ledger where id = any ($1) union select id from quarantine where id = any ($1)`,
      [mutations.map(({ id }) => id)],
    );
    expect(rows).toHaveLength(mutations.length);
  });
});
