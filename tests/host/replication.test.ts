import { describe, expect, test } from 'vitest';
import { openDepot } from '../support/depot.ts';

const depot = await openDepot();
const worker = depot.worker();
await worker.start();

const delivered = {
  status: 'D',
  start_delivery_time: '2026-11-21T15:50:00.000Z',
  end_delivery_time: '2026-11-21T15:59:30.000Z',
} as const;

describe('a driver’s change reaches the host', () => {
  test('as one unit, with the driver’s own times on the facility’s clock', async () => {
    const key = await depot.addRoute('R1', [1, 2, 999]);
    await depot.record(key, {
      id: 1,
      updates: { ...delivered, driver_comments: 'Tür zu – “hinten” €5' },
      products: [
        {
          id: 'ITEM1',
          invoice: 'INV1',
          updates: { delivered: 4, osd_data: [{ osd_code: 10, data: [{ quantity: 1 }] }] },
        },
      ],
    });
    await depot.untilHosted(key);

    const [stop] = await depot.show('RTSTPP', "RSRTE = 'R1' and RSSTP = 1");
    expect(stop).toMatchObject({ RSSTS: 'D', RSARVF: 'N', RSCUS: 'C1', RSUUSR: 'TAILGATE' });
    const [result] = await depot.show('RTSTUP', "RURTE = 'R1'");
    expect(result).toMatchObject({
      RUSTP: '1',
      RUSTS: 'D',
      RUSDT: '20261121',
      RUSTM: '95000',
      RUEDT: '20261121',
      RUETM: '95930',
      RUUTC: '2026-11-21T15:59:30.000Z',
      RUDRV: '1001',
      RUCMT: 'Tür zu - "hinten" EUR5',
      RUCMTL: 'Y',
      RURPSQ: '10000000002',
    });
    expect(await depot.show('RTPRUP', "RQRTE = 'R1'")).toMatchObject([
      { RQINV: 'INV1', RQITM: 'ITEM1', RQLIN: '1', RQTYP: 'P', RQDLV: '4' },
    ]);
    expect(await depot.show('RTOSDP', "OSRTE = 'R1'")).toMatchObject([
      { OSTYP: 'P', OSSEQ: '1', OSITM: 'ITEM1', OSCOD: '10', OSQTY: '1', OSDELF: 'N' },
    ]);
  });

  test('many changes of one stop need one write', async () => {
    const key = await depot.addRoute('R2', [1]);
    await depot.fault('outage', true);
    for (let n = 1; n <= 20; n++) await depot.record(key, { id: 1, updates: { driver_comments: `note ${n}` } });
    await depot.fault('outage', false);
    await depot.untilHosted(key);
    expect(await depot.show('RTSTUP', "RURTE = 'R2'")).toMatchObject([{ RUCMT: 'note 20', RURPSQ: '10000000021' }]);
  });

  test('rows whose values are already on the host are not written again', async () => {
    const key = await depot.addRoute('R3', [1]);
    const lines = ['ITEM1', 'ITEM2'].map((id) => ({ id, invoice: 'INV1', updates: { delivered: 1 } }));
    await depot.record(key, { id: 1, updates: delivered, products: lines });
    await depot.untilHosted(key);
    const before = await depot.show('RTPRUP', "RQRTE = 'R3'");
    await depot.record(key, { id: 1, products: [{ id: 'ITEM2', invoice: 'INV1', updates: { delivered: 3 } }] });
    await depot.untilHosted(key);
    const after = await depot.show('RTPRUP', "RQRTE = 'R3'");
    expect(after[0]).toEqual(before[0]);
    expect(after[1]).toMatchObject({ RQITM: 'ITEM2', RQDLV: '3', RQRPSQ: '10000000003' });
  });

  test('the route’s close is written after its stops', async () => {
    const key = await depot.addRoute('R4', [1, 999]);
    await depot.record(key, { id: 999, arrived: true, updates: delivered });
    await depot.untilHosted(key);
    expect(await depot.show('RTHDRP', "RHRTE = 'R4'")).toMatchObject([
      { RHPODS: 'C', RHCLDT: '20261121', RHCLTM: '100000', RHCLBY: 'D', RHOPEN: '0', RHLATE: '0' },
    ]);
    await depot.record(key, { id: 1, updates: delivered });
    await depot.untilHosted(key);
    expect(await depot.show('RTHDRP', "RHRTE = 'R4'")).toMatchObject([{ RHPODS: 'C', RHLATE: '1' }]);
  });
});
