import { operations as driverOperations } from '@tailgate/sync-protocol';
import { beforeAll, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { memoryGrowth } from '../../support/memory-growth.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { signUp } from '../../support/people.ts';
import { createDatabase } from '../../support/postgres.ts';
import { RestClient, type Signed } from '../../support/rest-client.ts';
import { startServer, type ServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { TestBytes } from '../../support/test-bytes.ts';
import { storeFiles } from '../../support/uploads.ts';
import { jpegWith } from './tiny-jpeg.ts';

// Packs of stops with ten photos of 300 kB, from a server in a process of its own. Speed is printed, and no assertion.

const photosOfStop = 10;
const photoBytes = 300_000;
const few = { id: 'FEW', stops: 2 };
const many = { id: 'MANY', stops: 25 };
const weekEnd = '20261121';
const random = new TestBytes('photos of packs');

let server: ServerProcess;
let client: RestClient;
let headers: Record<string, string>;

/** Records a delivery with a photo for each line. */
async function deliver(as: Signed, route: string, stop: number): Promise<void> {
  const files = Array.from({ length: photosOfStop }, (_, i) => ({
    name: `${route}-${stop}-${i}.jpg`,
    bytes: jpegWith(random.take(photoBytes)),
  }));
  const ids = await storeFiles(client, { files, as });
  const products = plan(stop, photosOfStop).products.map(({ id, invoice, quantity }, i) => ({
    id,
    invoice,
    updates: { delivered: quantity, image_ids: ids.slice(i, i + 1) },
  }));
  const stops = [{ id: stop, updates: { status: 'D', store_emp_name: 'Ana Gil' }, products }];
  await client.take(driverOperations.syncStops, { as, body: { id: route, facility: 'F01', week_end: weekEnd, stops } });
}

beforeAll(async () => {
  const database = await createDatabase();
  const routes = [few, many].map(({ id, stops }) => ({
    ...{ facility: 'F01', id, weekEnd, drivers: ['1001'] },
    stops: Array.from({ length: stops }, (_, i) => plan(i + 1, photosOfStop)),
  }));
  await insertRoutes(database.pool, routes);
  const env = { DATABASE_URL: database.url, DATA_DIR: await temporaryFolder() };
  server = await startServer(env, ['--role', 'api']);
  client = new RestClient(server.url);
  headers = await operatorHeaders({ database, client, clock: { now: new Date() } }, 'repair', 'MARYB');
  const driver = await signUp(client, '1001');
  for (const { id, stops } of [few, many]) for (let stop = 1; stop <= stops; stop++) await deliver(driver, id, stop);
});

/** Reads a pack and forgets it. @returns its size and its time */
async function readPack(query: string): Promise<{ readonly bytes: number; readonly ms: number }> {
  const before = performance.now();
  const answer = await fetch(`${server.url}/api/ops/evidence?facility=F01&week_end=${weekEnd}&${query}`, { headers });
  expect(answer.status).toBe(200);
  let bytes = 0;
  for await (const part of answer.body ?? []) bytes += part.length;
  return { bytes, ms: performance.now() - before };
}

test('a pack of a stop with ten photos has each of them twice: as a file, and in its document', async () => {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const { bytes, ms } = await readPack(`route_id=${few.id}&stop_id=1`);
    expect(bytes).toBeGreaterThan(2 * photosOfStop * photoBytes);
    times.push(Math.round(ms));
  }
  process.stdout.write(`pack of a stop with ${photosOfStop} photos of 300 kB: ${times.join(', ')} ms\n`);
});

test('a pack of many stops is not held in memory', async () => {
  const growthOf = async ({ id, stops }: typeof few): Promise<number> => {
    const sizes: number[] = [];
    const growth = await memoryGrowth(server.pid, async () => sizes.push((await readPack(`route_id=${id}`)).bytes));
    expect(sizes[0]).toBeGreaterThan(2 * stops * photosOfStop * photoBytes);
    return growth;
  };
  // The engine settles first: its uncollected garbage is the same for both.
  for (let i = 0; i < 3; i++) await readPack(`route_id=${many.id}`);
  const grown = [await growthOf(few), await growthOf(many)];
  const mebibytes = grown.map((bytes) => Math.round(bytes / 1024 ** 2));
  process.stdout.write(`memory of a pack of ${few.stops} and of ${many.stops} stops: ${mebibytes.join(' and ')} MiB\n`);
  // A pack that is held as a whole takes more than this.
  expect(grown[1]).toBeLessThan(2 * many.stops * photosOfStop * photoBytes);
});
