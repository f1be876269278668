import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { replay } from '../../server/src/replication/from-host/replay.ts';
import { Reconciler } from '../../server/src/replication/to-host/counts/reconciler.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { atFileEnd } from '../support/file-end.ts';
import { TestBytes } from '../support/test-bytes.ts';
import { storeFiles } from '../support/uploads.ts';
import { rowDeps } from './row-fixture.ts';

// A photo that the host has lost in part: it is counted, and replayed.

const { depot, pool, client, settled, expectRows } = await rowDeps();
const worker = depot.worker({ times: { sweepMs: 50 } });
await worker.start();
const leases = new Leases({ db: pool, owner: randomUUID() });
atFileEnd(() => leases.close());
const deps = { db: pool, host: depot.host, leases, clock: () => depot.clock.now, log: depot.log };
const reconciler = new Reconciler({ ...deps, mayWrite: () => true });
const photos = async () => {
  await reconciler.sweep();
  const rows = await depot.show('PODRCNP', "RNRTE = 'PHOTO' and RNOCC = 'C' and RNKND = 'P'");
  return rows.map(({ RNACC, RNHST, RNDIF, RNLAT }) => ({ RNACC, RNHST, RNDIF, RNLAT }));
};

test('a header without one of its chunks is no photo on the host; a replay brings the chunk back', async () => {
  const random = new TestBytes('counted');
  const files = [{ name: 'sign.png', bytes: random.take(40_000) }];
  const [signature = ''] = await storeFiles(client, { files });
  const key = await depot.addRoute('PHOTO', [1, 999]);
  const updates = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z', signature_id: signature } as const;
  await depot.record(key, { id: 1, updates });
  await depot.record(key, { id: 999, arrived: true, updates: { status: 'D' } });
  await depot.untilHosted(key);
  await settled(worker);
  // The upload has the real time, which is after the close by the clock of this depot.
  expect(await photos()).toEqual([{ RNACC: '1', RNHST: '1', RNDIF: 'N', RNLAT: '1' }]);

  await depot.clerk(`delete from PODDTA.ASSCHP where ACID = '${signature}' and ACSEQ = 2`);
  await pool.query(`update reconciliation set version = version - 1 where route_id = 'PHOTO'`);
  expect(await photos()).toMatchObject([{ RNACC: '1', RNHST: '0', RNDIF: 'Y' }]);
  const scope = { facility: 'F01', route: 'PHOTO', week: '20261128' };
  expect((await replay({ ...deps, dry: true }, scope)).files).toEqual([signature]);
  await expectRows('ASSCHP', `ACID = '${signature}' and ACSEQ = 2`, []);
  expect((await replay({ ...deps, dry: false }, scope)).files).toEqual([signature]);
  await expectRows('ASSCHP', `ACID = '${signature}' and ACSEQ = 2`, [{ ACLEN: '16000' }]);
  await settled(worker);
  depot.clock.now = new Date(depot.clock.now.getTime() + 16 * 60_000);
  expect(await photos()).toMatchObject([{ RNHST: '1', RNDIF: 'N' }]);
});
