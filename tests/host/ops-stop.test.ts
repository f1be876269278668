import { randomUUID } from 'node:crypto';
import type { RouteKey } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { operations } from '../../server/src/http/operations.ts';
import { LazyHostCatalog } from '../../server/src/replication/host-catalog.ts';
import { bindQueue } from '../server/mutations/fixture.ts';
import { openDepot, type Depot } from '../support/depot.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import type { RestClient } from '../support/rest-client.ts';
import { restChange } from '../support/rest-change.ts';
import { opsToken, startRestServer } from '../support/rest-server.ts';
import { TestQueue } from '../support/sealing.ts';

const { compareStop, readOpsStop } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const signature = 'AAAAAAAAAAAAAAAA';
const photo = 'BBBBBBBBBBBBBBBB';

let depot: Depot;
let client: RestClient;
let key: RouteKey;
let ids: string[];

beforeAll(async () => {
  depot = await openDepot();
  const { url } = depot.database;
  const hostCatalog = new LazyHostCatalog(() =>
    openStandIn({ url, library: 'PODDTA', log: recordedLog(), program: 'TAILGATE' }),
  );
  atFileEnd(() => hostCatalog.close());
  ({ client } = await startRestServer({ database: depot.database, hostCatalog }));
  key = await depot.addRoute('PAST', [1, 2, 3]);
  depot.clock.now = new Date();
  const queue = new TestQueue();
  const edit = (stop: object) => queue.seal('stop.update', { route: key, stop });
  const updates = {
    status: 'D',
    start_delivery_time: '2026-11-21T15:40:00.000Z',
    end_delivery_time: '2026-11-21T15:59:30.000Z',
    store_emp_name: 'Nils Petersen',
    driver_comments: 'Counted twice – 11 ok',
    signature_id: signature,
    overage_items: [{ barcode: '0400000000017', osd_code: '85', quantity: 2, comment: '', images_id: photo }],
  };
  const items = [edit({ id: 1, arrived: true, updates }), edit({ id: 1, updates: { driver_comments: 'at the back' } })];
  ids = items.map(({ id }) => id);
  const bound = await bindQueue(depot.database, queue, '1001');
  await depot.pipeline.push(bound, items.slice(0, 1));
  await depot.replicateOnce(key);
  await depot.pipeline.push(bound, items.slice(1));
  const corrected = { id: 1, updates: { store_emp_name: 'N. Petersen' } };
  const office = { actor: { kind: 'office', user: 'MARYB' }, source: 'office', id: randomUUID() } as const;
  await depot.pipeline.submit(restChange(key, corrected, '', { ...office, dedupeByContent: false }));
});

const params = (stop: number) => ({
  facility: key.facility,
  route_id: key.id,
  week_end: key.week_end,
  stop_id: String(stop),
});
const read = (stop: number) => client.take(readOpsStop, { headers, params: params(stop) });
const compare = (stop: number, host = 'confirmed') =>
  client.take(compareStop, { headers, params: params(stop), query: `?host=${host}` });

describe('GET /api/ops/routes/…/stops/{stop_id}', () => {
  test('has plan, result, times at the facility, files, receipts and the host’s state', async () => {
    const stop = await read(1);
    expect(stop.summary).toMatchObject({ facility: 'F01', route_id: 'PAST', stop_id: 1, status: 'D', on_host: false });
    expect(stop.summary).toMatchObject({ files: 2, missing_files: 2, exceptions: 1, received_by: 'N. Petersen' });
    expect(stop.times).toMatchObject({
      started: { utc: '2026-11-21T15:40:00.000Z', local: '2026-11-21T09:40:00-06:00' },
      ended: { utc: '2026-11-21T15:59:30.000Z', local: '2026-11-21T09:59:30-06:00' },
      skipped: null,
    });
    expect(stop.comment).toEqual({ text: 'at the back', on_screen: 'at the back', altered: false });
    expect(stop.arrived).toBe(true);
    expect(stop.overage).toMatchObject([{ code: '85', quantity: 2, barcode: '0400000000017', asset_id: photo }]);
    expect(stop.files.map(({ asset_id, use, state }) => [asset_id, use, state])).toEqual([
      [signature, 'signature', 'awaited'],
      [photo, 'photo', 'awaited'],
    ]);
    expect(stop.lines.length).toBeGreaterThan(0);
    expect(stop.lines[0]).toMatchObject({ kind: 'product', delivered: null, exceptions: [] });
    expect(stop.receipts).toMatchObject({ source: 'office', employee: 'MARYB', phone_at: null, host_at: null });
    const [row] = await depot.show('RTSTUP', "RURTE = 'PAST' and RUSTP = 1");
    expect(stop.host).toMatchObject({ on_host: false, trace: row?.['RUTRC'] });
  });

  test('an untouched stop has a plan and no receipt', async () => {
    const stop = await read(2);
    expect(stop.summary).toMatchObject({ status: 'P', status_at: null, status_by: null, delivered: 0 });
    expect(stop).toMatchObject({ receipts: null, comment: null, files: [], mails: [], position: null });
    const planned = stop.lines.reduce(
      (sum, { kind, planned: pieces }) => sum + (kind === 'product' ? (pieces ?? 0) : 0),
      0,
    );
    expect(stop.summary.planned).toBe(planned);
  });

  test('an unknown route or stop is an error, and only operators may read', async () => {
    const code = async (call: object) => (await client.call(readOpsStop, call)).error?.code;
    expect(await code({ headers, params: params(8) })).toBe('STOP_NOT_FOUND');
    expect(await code({ headers, params: { ...params(1), route_id: 'NONE' } })).toBe('ROUTE_NOT_FOUND');
    expect(await code({ params: params(1) })).toBe('MISSING_CREDENTIALS');
  });
});

describe('GET /api/ops/routes/…/stops/{stop_id}/comparison', () => {
  const fieldOf = ({ fields }: Awaited<ReturnType<typeof compare>>, column: string) =>
    fields.find((field) => field.column === column);

  test('marks the side that differs, different fields first', async () => {
    const compared = await compare(1);
    expect(compared).toMatchObject({ host_read: 'confirmed', different: 3 });
    const different = compared.fields.slice(0, 3).map(({ column, differs }) => `${column} ${differs}`);
    expect(new Set(different)).toEqual(new Set(['RUCMT host', 'RUCMTL host', 'RUSNAM server']));
    expect(fieldOf(compared, 'RUCMT')).toMatchObject({
      file: 'RTSTUP',
      row: '',
      phone: 'at the back',
      server: 'at the back',
      host: 'Counted twice - 11 ok',
    });
    expect(fieldOf(compared, 'RUSNAM')).toMatchObject({
      phone: 'Nils Petersen',
      server: 'N. Petersen',
      host: 'Nils Petersen',
    });
    expect(fieldOf(compared, 'RUSTS')).toMatchObject({ phone: 'D', server: 'D', host: 'D', differs: 'none' });
    expect(compared.fields.some(({ file, row }) => file === 'RTOSDP' && row !== '')).toBe(true);
  });

  test('a live comparison reads the rows from the host', async () => {
    await depot.clerk(`update PODDTA.RTSTUP set RUSEMP = 'E77' where RURTE = 'PAST' and RUSTP = 1`);
    const live = await compare(1, 'live');
    expect(live.host_read).toBe('live');
    expect(fieldOf(live, 'RUSEMP')).toMatchObject({ server: '', host: 'E77', differs: 'host' });
    expect(fieldOf(await compare(1), 'RUSEMP')).toMatchObject({ host: '', differs: 'none' });
  });

  test('an untouched stop has no difference', async () => {
    expect(await compare(3)).toMatchObject({ different: 0, phone_version: null, host_at: null, host_trace: '' });
    expect(await compare(3, 'live')).toMatchObject({ different: 0 });
  });

  test('a host that does not answer is reported', async () => {
    await depot.fault('outage', true);
    const reply = await client.call(compareStop, { headers, params: params(1), query: '?host=live' });
    expect(reply.error?.code).toBe('HOST_UNAVAILABLE');
  });
});

test('the receipts show the way of a phone’s change', async () => {
  const queue = new TestQueue();
  const [item] = [
    queue.seal('stop.update', { route: key, stop: { id: 2, updates: { driver_comments: 'next door' } } }),
  ];
  await depot.pipeline.push(await bindQueue(depot.database, queue, '1001'), [item]);
  const { receipts } = await read(2);
  expect(receipts).toMatchObject({ mutation_id: item.id, source: 'sync', employee_name: 'Dana Driver', host_at: null });
  expect(receipts?.phone_at).toMatch(/^20/);
  expect(ids).toHaveLength(2);
});
