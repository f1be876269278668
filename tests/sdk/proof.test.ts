import { NotSignedIn, Unreachable } from '@tailgate/client-sdk';
import { stopProof } from '@tailgate/client-sdk/proof';
import { expect, test } from 'vitest';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password } from '../support/people.ts';
import { Device, until } from '../support/sdk-device.ts';
import { startSyncNode } from '../support/sync-node.ts';

test('a driver takes the proof of a stop once the host has it, by the session in the store of the client', async () => {
  const { database, client: rest } = await startSyncNode();
  const key = { facility: 'F01', id: 'R1', week_end: '20261121' };
  await insertRoutes(database.pool, [
    { facility: 'F01', id: 'R1', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] },
  ]);
  const phone = new Device(rest.url);
  const server = { url: `${rest.url}/`, store: phone.store };
  const proof = { employeeId: '1001', route: key, stop: 1 };
  await expect(stopProof(server, proof)).rejects.toThrow(NotSignedIn);

  const client = await phone.start();
  await client.signUp('1001', password);
  await until(client.route(key), (route) => route !== undefined);
  await client.stop(1, key).deliver({ asPlanned: true }).accepted;
  expect(await stopProof(server, proof)).toMatchObject({ kind: 'refused', code: 'NOT_FOUND' });
  await database.pool.query('update route set hosted_through = version');
  const result = await stopProof(server, proof);
  expect(result.kind === 'done' && Buffer.from(result.pdf.subarray(0, 8)).toString()).toBe('%PDF-1.7');

  await expect(stopProof({ ...server, url: 'http://127.0.0.1:9' }, proof)).rejects.toThrow(Unreachable);
  // A hotel network answers with a page of its own.
  const page = { ...server, fetch: () => Promise.resolve(new Response('<html>Accept the terms</html>')) };
  await expect(stopProof(page, proof)).rejects.toThrow(Unreachable);
});
