import {
  applyOfficeUpdate,
  applyStopUpdate,
  stopObject,
  type StopObjectInput,
  type StopResult,
} from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { hostMoment } from '../../../server/src/host/files/local-time.ts';
import { headerRow } from '../../../server/src/routes/host-rows.ts';
import { eventTime, statusTime } from '../../../server/src/stops/event-time.ts';
import { hostRows, isUntouched } from '../../../server/src/stops/host-rows.ts';
import type { StopOnHost } from '../../../server/src/stops/host-stop.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
const pending: StopResult = { status: 'P' };

/** The result of one update of a stop at `at`. */
function after(update: Omit<StopObjectInput, 'id'>, before = pending, at = Date.parse('2026-11-21T16:30:00.000Z')) {
  const parsed = stopObject.parse({ id: 7, ...update });
  return applyStopUpdate(before, parsed, { at, client: 'c', seq: 1, by: '1001' }).result;
}

function render(result: StopResult, options: { version?: number; held?: StopOnHost; zone?: string } = {}) {
  const { version = 5, held, zone = 'America/Chicago' } = options;
  const moment = (instant: Date) => hostMoment(instant, zone);
  return hostRows({ key, stop: 7, result, sequence: `${10_000_000_000 + version}`, moment }, held);
}

const holding = (rows: StopOnHost['rows']): StopOnHost => ({ rows, credited: new Set() });

describe('author and time of skips, refusals and office edits', () => {
  const at = Date.parse('2026-11-21T18:00:00.000Z');
  const clerk = { at, client: 'office', seq: 9, by: 'ANN' };
  const said = (result: StopResult, status: 'D' | 'S' | 'R') =>
    applyOfficeUpdate(result, { id: 7, updates: { status } }, clerk).result;
  const delivered = after({ updates: { status: 'D', end_delivery_time: '2026-11-21T16:00:00.000Z' } });
  const skipped = after({ updates: { status: 'S', skip_refuse_timestamp: '2026-11-21T16:00:00.000Z' } });

  test.each(['S', 'R'] as const)('RUDRV: the driver who recorded %s', (status) => {
    expect(render(after({ updates: { status } })).RTSTUP).toMatchObject([{ RUSTS: status, RUDRV: '1001' }]);
    expect(render(said(pending, status)).RTSTUP).toMatchObject([{ RUSTS: status, RUDRV: '' }]);
  });

  test('a refusal that replaces a delivery gets its own date', () => {
    expect(render(said(delivered, 'R')).RTSTUP).toMatchObject([
      { RUSTS: 'R', RUEDT: '20261121', RUETM: '100000', RUSKDT: '20261121', RUSKTM: '120000' },
    ]);
  });

  test('a delivery that replaces a skip gets its own date', () => {
    expect(render(said(skipped, 'D')).RTSTUP).toMatchObject([
      { RUSTS: 'D', RUEDT: '20261121', RUETM: '120000', RUSKDT: '20261121', RUSKTM: '100000' },
    ]);
  });
});

describe('a delivered stop, column by column', () => {
  const rows = render(
    after({
      arrived: true,
      updates: {
        status: 'D',
        followup_reason_code: '7',
        start_delivery_time: '2026-11-21T15:50:00.000Z',
        end_delivery_time: '2026-11-21T10:59:30-05:00',
        delivery_latitude: '41.8781',
        delivery_longitude: -87.629798,
        delivered_by_driver_id: '1001',
        store_emp_id: 'E77',
        store_emp_name: 'José Núñez',
        driver_comments: 'Tor 4 – “zu”…',
        signature_id: 'SIGNATURE0000001',
        osd_emails: ['boss@example.com', 'chef@example.com'],
        overage_items: [
          { barcode: '0099', osd_code: 85, quantity: 2, comment: 'extra', images_id: 'PHOTO00000000009' },
        ],
      },
      products: [
        {
          id: 'ITEM1',
          invoice: 'INV1',
          updates: {
            delivered: 4,
            returned: 1,
            delivered_pallets: 2,
            accounting_complete: true,
            image_ids: ['PHOTO00000000001', 'PHOTO00000000002'],
            osd_data: [
              {
                osd_id: 'ab12cd',
                osd_code: 5,
                data: [{ osd_parent: 'P1', comment: 'wet', quantity: 1, barcodes: '123', quantity_type: 'cases' }],
              },
            ],
          },
          action: {
            type: 'scan',
            open: true,
            updates: { delivered: 3, osd_data: [{ osd_code: '05', data: [{ barcodes: '777' }] }] },
          },
        },
        { id: 'ITEM1', invoice: 'INV1', updates: { delivered: 9 } },
      ],
      collections: [{ id: 'TOTE', updates: { returned: 6 } }],
    }),
  );
  const route = { F: 'F01', R: 'R100', W: '20261128', S: '7' };

  test('RTSTPP', () => {
    expect(rows.RTSTPP).toEqual([
      { RSFAC: route.F, RSRTE: route.R, RSWKE: route.W, RSSTP: route.S, RSSTS: 'D', RSARVF: 'Y' },
    ]);
  });

  test('RTSTUP: local dates and times, event time in UTC, spelled for code page 37', () => {
    expect(rows.RTSTUP).toEqual([
      {
        ...{ RUFAC: route.F, RURTE: route.R, RUWKE: route.W, RUSTP: route.S },
        ...{
          RUSTS: 'D',
          RUFLWC: '7',
          RUFLWF: 'Y',
          RUSDT: '20261121',
          RUSTM: '95000',
          RUEDT: '20261121',
          RUETM: '95930',
        },
        ...{ RUUTC: '2026-11-21T15:59:30.000Z', RULAT: '41.878100', RULON: '-87.629798' },
        ...{ RUDRV: '1001', RUSEMP: 'E77', RUSNAM: 'José Núñez', RUCMT: 'Tor 4 - "zu"...', RUCMTL: 'Y' },
        ...{ RUSKRC: '', RUSKDT: '0', RUSKTM: '0', RUSKCM: '', RUSIG: 'SIGNATURE0000001' },
        ...{ RURPSQ: '10000000005', RUTRC: '', RUARDT: '20261121', RUARTM: '103000' },
      },
    ]);
  });

  test('an arrival without a time of its own keeps that of the host, and nothing else does', () => {
    const confirmed = holding(rows);
    const takenOver = applyStopUpdate(pending, stopObject.parse({ id: 7, arrived: true }), {
      ...{ at: Date.parse('2026-11-21T20:00:00.000Z'), client: 'office', seq: 1, by: '' },
    }).result;
    expect(render(takenOver, { held: confirmed }).RTSTUP).toMatchObject([{ RUARDT: '20261121', RUARTM: '103000' }]);
    expect(render(takenOver).RTSTUP).toMatchObject([{ RUARDT: '0', RUARTM: '0' }]);
    expect(render(pending, { held: confirmed }).RTSTUP).toMatchObject([{ RUARDT: '0', RUARTM: '0' }]);
  });

  test('RTPRUP: two manifest lines of one item and invoice are distinguished by occurrence', () => {
    const line = { RQFAC: route.F, RQRTE: route.R, RQWKE: route.W, RQSTP: route.S, RQRPSQ: '10000000005', RQOPNF: '' };
    const untouched = { RQDLV: '0', RQRTN: '0', RQPAL: '0', RQACCF: 'N', RQACTD: '0', RQIMG: '', RQIMGN: '0' };
    const item = { ...line, ...untouched, RQINV: 'INV1', RQITM: 'ITEM1', RQTYP: 'P' };
    expect(rows.RTPRUP).toEqual([
      {
        ...{ ...item, RQLIN: '1', RQDLV: '4', RQRTN: '1', RQPAL: '2', RQACCF: 'Y', RQACTD: '3' },
        ...{ RQIMG: 'PHOTO00000000001', RQIMGN: '2' },
      },
      { ...item, RQLIN: '2', RQDLV: '9' },
      { ...line, ...untouched, RQINV: '', RQITM: 'TOTE', RQLIN: '1', RQTYP: 'C', RQRTN: '6' },
    ]);
  });

  test('RTOSDP: product, itemized and overage records', () => {
    expect(rows.RTOSDP).toMatchObject([
      {
        OSTYP: 'P',
        OSSEQ: '1',
        OSITM: 'ITEM1',
        OSINV: 'INV1',
        OSBAR: '123',
        OSITMF: 'N',
        OSOID: 'ab12cd',
        OSPAR: 'P1',
        OSCOD: '5',
      },
      { OSTYP: 'P', OSSEQ: '2', OSITM: 'ITEM1', OSBAR: '', OSITMF: 'Y', OSCOD: '05', OSGRP: '1', OSENT: '1' },
      {
        OSTYP: 'O',
        OSSEQ: '1',
        OSITM: '',
        OSINV: '',
        OSBAR: '0099',
        OSITMF: 'N',
        OSCOD: '85',
        OSQTY: '2',
        OSCMT: 'extra',
      },
    ]);
    expect(rows.RTOSDP[0]).toMatchObject({
      OSQTY: '1',
      OSQTYP: 'C',
      OSCMT: 'wet',
      OSTXTL: 'N',
      OSDELF: 'N',
      OSREV: '0',
    });
  });

  test('RTIMGP: every photo, that of an overage item under the number of its record', () => {
    expect(rows.RTIMGP).toMatchObject([
      { RIQTYP: 'P', RIINV: 'INV1', RIITM: 'ITEM1', RILIN: '1', RISEQ: '1', RIASS: 'PHOTO00000000001' },
      { RIQTYP: 'P', RIINV: 'INV1', RIITM: 'ITEM1', RILIN: '1', RISEQ: '2', RIASS: 'PHOTO00000000002' },
      { RIQTYP: 'O', RIINV: '', RIITM: '', RILIN: '1', RISEQ: '1', RIASS: 'PHOTO00000000009' },
    ]);
  });

  test('RTEMLP', () => {
    expect(rows.RTEMLP.map(({ REMSEQ, REMADR }) => [REMSEQ, REMADR])).toEqual([
      ['1', 'boss@example.com'],
      ['2', 'chef@example.com'],
    ]);
  });
});

describe('event time (contract §1)', () => {
  const skip = { status: 'S', skip_refuse_reason_code: '01' } as const;
  test.each([
    [
      'the end of the delivery',
      { status: 'D', start_delivery_time: '2026-11-21T10:00:00Z', end_delivery_time: '2026-11-21T11:00:00Z' },
      '11:00',
    ],
    ['else its start', { status: 'D', start_delivery_time: '2026-11-21T10:00:00Z' }, '10:00'],
    ['else the skip', { ...skip, skip_refuse_timestamp: '2026-11-21T12:00:00+02:00' }, '10:00'],
    ['else when the status was recorded', { status: 'D' }, '16:30'],
    ['an unreadable skip time is no time', { ...skip, skip_refuse_timestamp: 'about noon' }, '16:30'],
  ] as const)('%s', (_name, updates, time) => {
    expect(eventTime(after({ updates }))?.toISOString()).toBe(`2026-11-21T${time}:00.000Z`);
  });

  test('a skip without a time of its own is dated by it', () => {
    expect(render(after({ updates: skip })).RTSTUP).toMatchObject([
      { RUSTS: 'S', RUSKRC: '01', RUSKDT: '20261121', RUSKTM: '103000', RUEDT: '0' },
    ]);
  });

  const later = Date.parse('2026-11-21T20:00:00.000Z');

  test('a delivery after a skip is not dated by the skip', () => {
    const skipped = after({ updates: { ...skip, skip_refuse_timestamp: '2026-11-21T15:00:00Z' } });
    const delivered = after({ updates: { status: 'D' } }, skipped, later);
    expect(render(delivered).RTSTUP).toMatchObject([
      { RUSTS: 'D', RUEDT: '20261121', RUETM: '140000', RUSKTM: '90000', RUUTC: '2026-11-21T20:00:00.000Z' },
    ]);
    expect(statusTime(delivered)?.getTime()).toBe(later);
  });

  test('a skip after a delivery is not dated by the end of the delivery', () => {
    const delivered = after({ updates: { status: 'D', end_delivery_time: '2026-11-21T15:00:00Z' } });
    const skipped = after({ updates: skip }, delivered, later);
    expect(render(skipped).RTSTUP).toMatchObject([
      { RUSTS: 'S', RUETM: '90000', RUSKDT: '20261121', RUSKTM: '140000', RUUTC: '2026-11-21T20:00:00.000Z' },
    ]);
    expect(statusTime(skipped)?.getTime()).toBe(later);
  });

  test('an end that arrives after the status dates it', () => {
    const ended = after({ updates: { end_delivery_time: '2026-11-21T15:00:00Z' } }, after({ updates: skip }), later);
    expect(eventTime(ended)?.toISOString()).toBe('2026-11-21T15:00:00.000Z');
  });

  test('a later comment does not move it', () => {
    const done = after({ updates: { status: 'D' } });
    const commented = after({ updates: { driver_comments: 'later' } }, done, Date.parse('2026-11-21T20:00:00.000Z'));
    expect(eventTime(commented)?.toISOString()).toBe('2026-11-21T16:30:00.000Z');
  });
});

describe('the facility’s clock', () => {
  test.each([
    ['before the clocks go back', '2026-11-01T06:30:00.000Z', '20261101', '13000'],
    ['the same hour again', '2026-11-01T07:30:00.000Z', '20261101', '13000'],
    ['after they went forward', '2026-03-08T08:00:00.000Z', '20260308', '30000'],
    ['yesterday there', '2026-11-21T02:00:00.000Z', '20261120', '200000'],
    ['midnight is hour 0', '2026-11-21T06:00:00.000Z', '20261121', '0'],
  ])('%s', (_name, end_delivery_time, date, time) => {
    expect(render(after({ updates: { status: 'D', end_delivery_time } })).RTSTUP).toMatchObject([
      { RUEDT: date, RUETM: time },
    ]);
  });
});

describe('over the confirmed rows', () => {
  const first = render(
    after({
      updates: { status: 'D', osd_emails: ['a@x.org', 'b@x.org'] },
      products: [
        { id: 'A', updates: { delivered: 1, image_ids: ['PHOTO00000000001'] } },
        { id: 'B', updates: { delivered: 2 } },
      ],
    }),
  );
  const result = after({
    updates: { status: 'D', osd_emails: ['a@x.org'] },
    products: [
      { id: 'A', updates: { delivered: 1, image_ids: [] } },
      { id: 'B', updates: { delivered: 3 } },
    ],
  });

  test('an equal row is the confirmed one with its sequence; a changed row has the new sequence', () => {
    const rows = render(result, { version: 9, held: holding(first) });
    expect(rows.RTSTPP[0]).toBe(first.RTSTPP[0]);
    expect(rows.RTEMLP[0]).toBe(first.RTEMLP[0]);
    expect(rows.RTPRUP).toMatchObject([
      { RQITM: 'A', RQIMGN: '0', RQRPSQ: '10000000009' },
      { RQITM: 'B', RQDLV: '3', RQRPSQ: '10000000009' },
    ]);
  });

  test('a removed photo or address leaves a blank row', () => {
    const rows = render(result, { version: 9, held: holding(first) });
    expect(rows.RTIMGP).toMatchObject([{ RIITM: 'A', RIASS: '' }]);
    expect(rows.RTEMLP).toMatchObject([{ REMADR: 'a@x.org' }, { REMSEQ: '2', REMADR: '' }]);
  });

  test('without changes only the sequence of the stop differs', () => {
    const again = render(result, { version: 9, held: holding(first) });
    const twice = render(result, { version: 10, held: holding(again) });
    for (const file of ['RTSTPP', 'RTPRUP', 'RTOSDP', 'RTIMGP', 'RTEMLP'] as const)
      for (const row of twice[file]) expect([...again[file]]).toContain(row);
  });
});

test('numbers are never clamped: a stop keeps values that the host may refuse', () => {
  const rows = render({ status: 'D', products: { x: { id: 'A', invoice: '', n: 0, delivered: 99_999_999 } } });
  expect(rows.RTPRUP).toMatchObject([{ RQDLV: '99999999' }]);
});

test('an untouched stop writes no rows', () => {
  expect(isUntouched(pending)).toBe(true);
  expect(isUntouched(after({ arrived: true }))).toBe(false);
  expect(isUntouched(after({ updates: { driver_comments: 'x' } }))).toBe(false);
});

describe('the route’s own row', () => {
  const moment = (instant: Date) => hostMoment(instant, 'America/Chicago');
  const open = { key, status: 'O', arrived: false, closedAt: null, closedBy: null, open: 2, late: 0, moment } as const;

  test('an open route: parked stops do not count yet', () => {
    expect(headerRow(open)).toMatchObject({
      RHPODS: '',
      RHRETM: '',
      RHCLDT: '0',
      RHCLTM: '0',
      RHCLBY: '',
      RHOPEN: '0',
      RHLATE: '0',
    });
  });

  test('a closed route: when, by whom, missing stops and late changes', () => {
    const closed = {
      ...open,
      status: 'C',
      arrived: true,
      closedAt: new Date('2026-11-21T16:00:00Z'),
      closedBy: 'A',
      late: 3,
    } as const;
    expect(headerRow(closed)).toMatchObject({
      ...{ RHFAC: 'F01', RHRTE: 'R100', RHWKE: '20261128', RHPODS: 'C', RHRETM: 'Y' },
      ...{ RHCLDT: '20261121', RHCLTM: '100000', RHCLBY: 'A', RHOPEN: '2', RHLATE: '3' },
    });
  });
});
