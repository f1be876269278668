import type { Client, Receipt } from '@tailgate/client-sdk';
import { recordLoadReport } from '@tailgate/client-sdk/reports';
import type { Chance } from './chance.ts';
import type { StopValues } from './model/diary.ts';
import { groupsOf } from './model/exceptions.ts';
import type { Closing, Place } from './model/fixture.ts';
import { CAPTURED_AT, SECTIONS } from './model/reports.ts';

export interface Occasion {
  /** The time on the phone: the app reads no other clock. */
  readonly phoneNow: number;
  /** The first word of the comment. */
  readonly comment?: string;
  /** A file as proof. */
  readonly signature_id?: string | undefined;
}

/**
 * What a driver records at a stop. Every value is new, so that it shows its origin.
 *
 * @param n the number of the tap
 */
export function tapValues(
  chance: Chance,
  n: number,
  { phoneNow, comment = 'comment', signature_id }: Occasion,
): StopValues {
  const shown = new Date(phoneNow).toISOString();
  if (signature_id === undefined && chance.odds(0.12))
    return {
      status: chance.odds(0.5) ? 'S' : 'R',
      skip_refuse_reason_code: `${10 + (n % 80)}`,
      ...(chance.odds(0.6) ? { skip_refuse_driver_comment: `why ${n}` } : {}),
      ...(chance.odds(0.5) ? { skip_refuse_timestamp: shown } : {}),
    };
  const status = chance.odds(0.3) ? (chance.odds(0.8) ? 'D' : 'S') : undefined;
  return {
    driver_comments: `${comment} ${n}`,
    ...(status ? { status } : {}),
    ...(chance.odds(0.15) ? { arrived: true } : {}),
    ...(chance.odds(0.3) ? { store_emp_name: `Name ${n}` } : {}),
    ...(chance.odds(0.4) ? { delivered: n } : {}),
    ...(chance.odds(0.2) ? { returned: n } : {}),
    ...(chance.odds(0.25) ? { exceptions: newExceptions(chance, n) } : {}),
    ...(signature_id === undefined ? {} : { signature_id }),
    ...(status === 'D' && chance.odds(0.5) ? { end_delivery_time: shown } : {}),
  };
}

/** A driver is back at the warehouse, has finished the route, or both. */
export function returnValues(chance: Chance, { mode }: Closing): StopValues {
  return chance.weighted<StopValues>([
    [5, { arrived: true }],
    [mode === 'arrival' ? 5 : 1, { status: 'D' }],
    [1, { arrived: true, status: 'D' }],
  ]);
}

/** One to three groups, some with the ids of earlier ones, each with one or two entries. */
function newExceptions(chance: Chance, n: number): string {
  const ids = ['A', 'B', 'C', 'D'].filter(() => chance.odds(0.5));
  const entry = (i: number): string => `${n + i}x${n}B${i}`;
  return (ids.length > 0 ? ids : ['A'])
    .map((id, i) => `${20 + i}/${id}:${chance.odds(0.4) ? `${entry(i)},${entry(i + 5)}` : entry(i)}`)
    .join(' ');
}

/** A load report with one or two sections: a new one, or another revision, sometimes with the former content. */
export function reportValues(chance: Chance, n: number, employee: string): StopValues {
  const comment = `load-${chance.odds(0.7) ? n : 0}`;
  return { report: `R${employee}-${chance.odds(0.8) ? 1 : 2}:${comment}${chance.odds(0.5) ? `|dry-${n}` : ''}` };
}

/** The app records a load report. */
export function recordReport(app: Client, report: string, driverId: string): { id: string; saved: Promise<void> } {
  const [reportId = '', comments = ''] = report.split(':');
  const sections = comments
    .split('|')
    .map((comment, n) => ({ key: SECTIONS[n] ?? '', rating: 3, reason: 'seen', comment, photos_id: '' }));
  return recordLoadReport(app, { reportId, loadId: 'L1', stopId: '1', driverId, capturedAt: CAPTURED_AT, sections });
}

/** The app records the values of a tap. */
export function recordTap(app: Client, { route, stop, invoice }: Place, values: StopValues): Receipt {
  const { status, arrived, delivered, returned, exceptions, end_delivery_time, skip_refuse_timestamp, ...texts } =
    values;
  const { skip_refuse_reason_code, skip_refuse_driver_comment, ...updates } = texts;
  if (skip_refuse_reason_code !== undefined && (status === 'S' || status === 'R'))
    return app.skipStop(route, stop, {
      status,
      skip_refuse_reason_code,
      ...(skip_refuse_driver_comment === undefined ? {} : { skip_refuse_driver_comment }),
      ...(skip_refuse_timestamp === undefined ? {} : { skip_refuse_timestamp: new Date(skip_refuse_timestamp) }),
    });
  const eggs = {
    ...(delivered === undefined ? {} : { delivered }),
    ...(exceptions === undefined
      ? {}
      : { osd_data: groupsOf(exceptions).map((group) => ({ ...group, data: [...group.data] })) }),
  };
  const products = [
    ...(Object.keys(eggs).length > 0 ? [{ id: 'EGGS', invoice, updates: eggs }] : []),
    ...(returned === undefined ? [] : [{ id: 'MILK', invoice, updates: { returned } }]),
  ];
  return app.updateStop(route, {
    id: stop,
    ...(arrived ? { arrived } : {}),
    updates: {
      ...updates,
      ...(status ? { status } : {}),
      ...(end_delivery_time === undefined ? {} : { end_delivery_time: new Date(end_delivery_time) }),
    },
    ...(products.length > 0 ? { products } : {}),
  });
}
