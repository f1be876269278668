import type { StopResult } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { decideHeaderWrite, decideStopWrite } from '../../../server/src/replication/to-host/judge.ts';
import { hostMoment } from '../../../server/src/host/files/local-time.ts';
import { decodeHeader, decodeStop, encodeHeader, encodeStop } from '../../../server/src/replication/to-host/shadow.ts';
import { withTrace, stopText, traceOf } from '../../../server/src/replication/to-host/trace.ts';
import { headerRow, type HostHeader } from '../../../server/src/routes/host-rows.ts';
import { hostRows } from '../../../server/src/stops/host-rows.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
const moment = (instant: Date) => hostMoment(instant, 'America/Chicago');
const group = (quantity: number) => ({
  ...{ osd_id: 'ab12cd', osd_code: '10' },
  data: [{ osd_parent: null, comment: 'é|\u001f"', quantity, images_id: null, barcodes: '', quantity_type: null }],
});

function stopAt(version: number, delivered: number) {
  const line = { id: 'A', invoice: 'I1', n: 0, delivered, image_ids: ['PHOTO00000000001'], osd_data: [group(1)] };
  const result: StopResult = { status: 'D', updates: { osd_emails: ['a@x.org'] }, products: { a: line } };
  return withTrace(hostRows({ key, stop: 7, result, sequence: `${version}`, moment }));
}

describe('the shadow of a stop', () => {
  const held = { rows: stopAt(3, 1), credited: new Set(['P 1']) };

  test('is read as it was saved', () => {
    expect(decodeStop(encodeStop(held), key, 7)).toEqual(held);
  });

  test('does not repeat the key of its stop', () => {
    expect(encodeStop(held)).not.toContain('R100');
  });

  test('saved before a column was defined, it has the host’s initial value: blank or zero', () => {
    const older = encodeStop(held).replaceAll('"RQPAL"', '"RQOLD"').replaceAll('"OSCMT"', '"OSOLD"');
    const { rows } = decodeStop(older, key, 7);
    expect(rows.RTPRUP[0]).toMatchObject({ RQPAL: '0', RQDLV: '1' });
    expect(rows.RTOSDP[0]).toMatchObject({ OSCMT: '', OSQTY: '1' });
  });
});

describe('the trace id', () => {
  test('fits a stop as we wrote it, with rows in any order', () => {
    const rows = stopAt(3, 1);
    expect(traceOf({ ...rows, RTPRUP: rows.RTPRUP.toReversed() })).toBe(rows.RTSTUP[0]?.RUTRC);
    expect(rows.RTSTUP[0]?.RUTRC).toMatch(/^[0-9A-HJKMNP-TV-Z]{12}$/);
  });

  test('does not survive any change', () => {
    const rows = stopAt(3, 1);
    const touched = { ...rows, RTPRUP: rows.RTPRUP.map((row) => ({ ...row, RQDLV: '2' as const })) };
    expect(traceOf(touched)).not.toBe(rows.RTSTUP[0]?.RUTRC);
    expect(traceOf({ ...rows, RTIMGP: [] })).not.toBe(rows.RTSTUP[0]?.RUTRC);
  });
});

describe('the host’s rows after a write that matched nothing', () => {
  const [before, lost, wanted] = [stopAt(3, 1), stopAt(4, 2), stopAt(5, 3)];
  const touched = (rows: typeof wanted) => ({ ...rows, RTSTPP: rows.RTSTPP.map((row) => ({ ...row, RSSTS: 'R' })) });

  test.each([
    ['our values: it was written after all', wanted, before, 'written'],
    ['the shadow: nothing has happened', before, before, 'ours'],
    ['an earlier write of ours whose answer was lost', lost, before, 'ours'],
    ['the same, and no shadow was ever saved', lost, undefined, 'ours'],
    ['a later state of ours', stopAt(6, 1), before, 'newer'],
    ['somebody’s edit of what we confirmed', touched(before), before, 'foreign'],
    ['somebody’s edit of what we lost', touched(lost), before, 'foreign'],
  ] as const)('%s', (_name, found, held, verdict) => {
    expect(decideStopWrite(found, wanted, held)).toBe(verdict);
  });

  const life = 10_000_000_000;
  test.each([
    ['after the copy that was restored: only the host knows it', stopAt(life + 4, 2), 'foreign'],
    ['the same, and a phone has brought it again', stopAt(life + 4, 3), 'ours'],
    ['before the copy', stopAt(life + 3, 1), 'ours'],
  ] as const)('written by us before a restore, %s', (_name, found, verdict) => {
    expect(decideStopWrite(found, stopAt(2 * life + 5, 3), stopAt(life + 3, 1))).toBe(verdict);
  });

  const nothing = { RTPRUP: [], RTOSDP: [], RTIMGP: [], RTEMLP: [], RTSTUP: [] };
  test.each([
    ['as dispatched', '', '', 'ours'],
    ['marked pending by a dispatch program', 'P', 'N', 'ours'],
    ['set by somebody', 'S', '', 'foreign'],
  ] as const)('a stop that we never wrote, %s', (_name, RSSTS, RSARVF, verdict) => {
    const found = { ...nothing, RTSTPP: before.RTSTPP.map((row) => ({ ...row, RSSTS, RSARVF })) };
    expect(decideStopWrite(found, wanted, undefined)).toBe(verdict);
  });

  test('texts of stops cannot be confused: separators do not occur in the host’s texts', () => {
    expect(stopText(wanted)).not.toBe(stopText(lost));
  });
});

describe('the route’s own row', () => {
  const open: HostHeader = {
    key,
    status: 'O',
    arrived: false,
    closedAt: null,
    closedBy: null,
    open: 0,
    late: 0,
    moment,
  };
  const [held, arrived, wanted] = [
    headerRow(open),
    headerRow({ ...open, arrived: true }),
    headerRow({
      ...open,
      arrived: true,
      status: 'C',
      closedAt: new Date('2026-11-21T16:00:00Z'),
      closedBy: 'D',
      late: 2,
    }),
  ];

  test('is read as it was saved', () => {
    expect(decodeHeader(encodeHeader(wanted), key)).toEqual(wanted);
  });

  test.each([
    ['our values', wanted, 'written'],
    ['the shadow', held, 'ours'],
    ['a step of ours between the two', arrived, 'ours'],
    ['a count that we have written since', { ...wanted, RHLATE: '1' }, 'ours'],
    ['somebody’s close', { ...held, RHPODS: 'C', RHCLBY: 'F', RHCLDT: '20261120' }, 'foreign'],
  ] as const)('%s', (_name, found, verdict) => {
    expect(decideHeaderWrite(found, wanted, held)).toBe(verdict);
  });
});
