import type { OsdGroup, StopResult } from '@tailgate/sync-protocol';
import { applyOfficeUpdate, lineKey } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { hostMoment, instantOf } from '../../../server/src/host/files/local-time.ts';
import { withTrace } from '../../../server/src/replication/to-host/trace.ts';
import { amendmentOf } from '../../../server/src/stops/amendment.ts';
import { hostRows } from '../../../server/src/stops/host-rows.ts';
import type { StopFile, StopRows } from '../../../server/src/stops/host-stop.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
const broken: OsdGroup = {
  osd_id: null,
  osd_code: '10',
  data: [{ osd_parent: null, comment: 'wet', quantity: 2, images_id: null, barcodes: '', quantity_type: 'units' }],
};
const milk = lineKey('MILK', 'I1', 0);
const result: StopResult = {
  status: 'D',
  arrived: true,
  updates: {
    followup: true,
    driver_comments: 'at the dock',
    start_delivery_time: '2026-11-27T10:00:00.000Z',
    end_delivery_time: '2026-11-27T10:20:00.000Z',
    signature_id: 'S1GNATURE0000001',
  },
  products: {
    [milk]: { id: 'MILK', invoice: 'I1', n: 0, delivered: 4, accounting_complete: true, osd_data: [broken] },
  },
  by: [{ at: 1, client: 'phone', seq: 1, by: '1001' }],
};

const shadow = withTrace(
  hostRows({ key, stop: 7, result, sequence: '1', moment: (instant) => hostMoment(instant, 'America/Chicago') }),
);

type Columns = { readonly [column: string]: string };
const edited = (changes: { readonly [Name in StopFile]?: Columns }): StopRows => {
  const changedIn = <R>(file: StopFile, rows: readonly R[]): readonly R[] =>
    rows.map((row) => ({ ...row, ...changes[file] }));
  return {
    RTSTPP: changedIn('RTSTPP', shadow.RTSTPP),
    RTPRUP: changedIn('RTPRUP', shadow.RTPRUP),
    RTOSDP: changedIn('RTOSDP', shadow.RTOSDP),
    RTIMGP: changedIn('RTIMGP', shadow.RTIMGP),
    RTEMLP: changedIn('RTEMLP', shadow.RTEMLP),
    RTSTUP: changedIn('RTSTUP', shadow.RTSTUP),
  };
};

function amended(changes: { readonly [Name in StopFile]?: Columns }) {
  const hostStop = { rows: edited(changes), credited: new Set<string>() };
  const { update, unmapped } = amendmentOf({ key, stop: 7, result, shadow, hostStop }, (moment) =>
    instantOf(moment, 'America/Chicago'),
  );
  const after = update
    ? applyOfficeUpdate(result, update, { at: 9, client: 'office', seq: 9, by: 'ANN' }).result
    : result;
  return { update, unmapped, after };
}

const line = 'line 1 of MILK';
test.each<[StopFile, Columns, string]>([
  ['RTSTUP', { RUSTS: 'X' }, 'RTSTUP.RUSTS'],
  ['RTSTUP', { RUSTS: '' }, 'RTSTUP.RUSTS'],
  ['RTSTUP', { RUSTS: 'C' }, 'RTSTUP.RUSTS'],
  ['RTSTPP', { RSSTS: 'X' }, 'RTSTPP.RSSTS'],
  ['RTSTPP', { RSSTS: 'C' }, 'RTSTPP.RSSTS'],
  ['RTSTPP', { RSARVF: 'N' }, 'RTSTPP.RSARVF'],
  ['RTSTPP', { RSARVF: 'X' }, 'RTSTPP.RSARVF'],
  ['RTSTUP', { RUFLWF: 'X' }, 'RTSTUP.RUFLWF'],
  ['RTSTUP', { RUFLWF: '' }, 'RTSTUP.RUFLWF'],
  ['RTSTUP', { RUSDT: '20269913' }, 'RTSTUP.RUSDT'],
  ['RTSTUP', { RUETM: '256000' }, 'RTSTUP.RUEDT'],
  ['RTSTUP', { RUEDT: '0' }, 'RTSTUP.RUEDT'],
  ['RTSTUP', { RUEDT: '99999999' }, 'RTSTUP.RUEDT'],
  ['RTSTUP', { RULAT: '999.000000' }, 'RTSTUP.RULAT'],
  ['RTSTUP', { RUSIG: 'see the mail' }, 'RTSTUP.RUSIG'],
  ['RTSTUP', { RUSIG: '' }, 'RTSTUP.RUSIG'],
  ['RTSTUP', { RUUTC: 'yesterday' }, 'RTSTUP.RUUTC'],
  ['RTPRUP', { RQDLV: '-5' }, `RTPRUP.RQDLV ${line}`],
  ['RTPRUP', { RQACTD: '-5' }, `RTPRUP.RQACTD ${line}`],
  ['RTPRUP', { RQACCF: 'X' }, `RTPRUP.RQACCF ${line}`],
  ['RTPRUP', { RQACCF: '' }, `RTPRUP.RQACCF ${line}`],
  ['RTPRUP', { RQOPNF: 'Y' }, `RTPRUP.RQOPNF ${line}`],
  ['RTOSDP', { OSQTY: '-5' }, 'RTOSDP.OSQTY of P 1'],
  ['RTOSDP', { OSQTYP: 'X' }, 'RTOSDP.OSQTYP of P 1'],
  ['RTOSDP', { OSCOD: 'X' }, 'RTOSDP.OSCOD of P 1'],
])('%s %o makes no sense: it is reported by column, and the record stays', (file, columns, column) => {
  expect(amended({ [file]: columns })).toEqual({ update: undefined, unmapped: [column], after: result });
});

test('impossible columns do not block the rest of an edit', () => {
  const { unmapped, after } = amended({
    RTSTPP: { RSSTS: 'R', RSARVF: 'Q' },
    RTSTUP: { RUCMT: 'as the office says', RULON: '999.000000', RUSIG: '???', RUSDT: '20260230' },
    RTPRUP: { RQDLV: '-5', RQRTN: '3', RQACCF: 'N' },
    RTOSDP: { OSQTY: '-5', OSCMT: 'dry' },
  });
  expect(unmapped.toSorted()).toEqual([
    'RTOSDP.OSQTY of P 1',
    `RTPRUP.RQDLV ${line}`,
    'RTSTPP.RSARVF',
    'RTSTUP.RULON',
    'RTSTUP.RUSDT',
    'RTSTUP.RUSIG',
  ]);
  expect(after).toMatchObject({ status: 'R', updates: { driver_comments: 'as the office says' } });
  expect(after.updates).toMatchObject({
    signature_id: 'S1GNATURE0000001',
    start_delivery_time: '2026-11-27T10:00:00.000Z',
  });
  expect(after.products?.[milk]).toMatchObject({
    delivered: 4,
    returned: 3,
    accounting_complete: false,
    osd_data: [{ osd_code: '10', data: [{ quantity: 2, comment: 'dry' }] }],
  });
});

test('of two statuses in one edit the planned row’s applies, and the other is reported', () => {
  const { unmapped, after } = amended({ RTSTPP: { RSSTS: 'R' }, RTSTUP: { RUSTS: 'S' } });
  expect({ unmapped, status: after.status }).toEqual({ unmapped: ['RTSTUP.RUSTS'], status: 'R' });
  expect(amended({ RTSTPP: { RSSTS: 'R' }, RTSTUP: { RUSTS: 'R' } }).unmapped).toEqual([]);
});

test('a derived event time is no change', () => {
  const edit = { RUETM: '43000', RUUTC: '2026-11-27T10:30:00.000Z' };
  const { unmapped, after } = amended({ RTSTUP: edit });
  expect(unmapped).toEqual([]);
  expect(after.updates?.end_delivery_time).toBe('2026-11-27T10:30:00.000Z');
});
