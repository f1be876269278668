import type { SkipInput } from '@tailgate/client-sdk';
import type { StopObjectInput } from '@tailgate/sync-protocol';

// The expected state of the back office, computed from the drivers' edits alone. The model follows the interface's
// document and the host's file sheets, and deliberately shares no line with the product.

/** A driver's edit of a stop. */
export type Edit = {
  readonly by: string;
  /** The time of recording; a later edit wins field by field. */
  readonly at: number;
} & (
  | { readonly kind: 'update'; readonly stop: StopObjectInput }
  | { readonly kind: 'skip'; readonly stop: { readonly id: number }; readonly fields: SkipInput }
);

/** The columns of the model: all values that a driver can set. */
export const columns = {
  RTSTUP: [
    ...['RUSTS', 'RUSDT', 'RUSTM', 'RUEDT', 'RUETM', 'RUUTC', 'RULAT', 'RULON', 'RUDRV', 'RUSEMP', 'RUSNAM'],
    ...['RUCMT', 'RUCMTL', 'RUSKRC', 'RUSKDT', 'RUSKTM', 'RUSKCM'],
  ],
  RTPRUP: ['RQTYP', 'RQINV', 'RQITM', 'RQDLV', 'RQRTN', 'RQPAL', 'RQACCF'],
  RTOSDP: [
    ...['OSTYP', 'OSITM', 'OSINV', 'OSGRP', 'OSENT', 'OSBAR', 'OSOID', 'OSPAR', 'OSCOD', 'OSQTY', 'OSQTYP'],
    ...['OSCMT', 'OSDELF'],
  ],
} as const;
export type ModelFile = keyof typeof columns;
export type ModelRow = { readonly [column: string]: unknown };
/** A stop's rows by file, each file in an order of its own, without rows that a program has flagged as deleted. */
export type ModelStop = { readonly [File in ModelFile]: readonly ModelRow[] };
export type ModelRoute = { readonly [stop: number]: ModelStop };

/** The codes with which a stop is refused; with every other one it is skipped (contract §10). */
const refusals = new Set(['10', '11', '12', '13']);

/** Stops by number, in the state that the host must have. */
export function hostAfter(edits: readonly Edit[], zone: string): ModelRoute {
  const stops = new Map<number, Edit[]>();
  for (const edit of edits.toSorted((a, b) => a.at - b.at)) {
    const stop = Number(edit.stop.id);
    stops.set(stop, [...(stops.get(stop) ?? []), edit]);
  }
  return Object.fromEntries([...stops].map(([stop, its]) => [stop, stopAfter(its, zone)]));
}

function stopAfter(edits: readonly Edit[], zone: string): ModelStop {
  const fields: Record<string, unknown> = {};
  const lines = new Map<string, Line>();
  let [statusAt, statusBy, endAt] = [0, '', 0];
  for (const edit of edits) {
    const values = edit.kind === 'update' ? { ...edit.stop.updates } : { ...edit.fields };
    if (edit.kind === 'skip') values.status ??= refusals.has(edit.fields.skip_refuse_reason_code ?? '') ? 'R' : 'S';
    if (values.status === 'D') Object.assign(fields, { delivered_by_driver_id: edit.by });
    if (values.status) [statusAt, statusBy] = [edit.at, edit.by];
    if ('end_delivery_time' in values) endAt = edit.at;
    Object.assign(fields, values);
    if (edit.kind !== 'update') continue;
    for (const type of ['P', 'C'] as const)
      for (const line of (type === 'P' ? edit.stop.products : edit.stop.collections) ?? []) {
        const key = `${type} ${line.invoice} ${line.id}`;
        const known = lines.get(key) ?? { type, item: line.id, invoice: line.invoice ?? '', values: {} };
        lines.set(key, { ...known, values: { ...known.values, ...line.updates } });
      }
  }
  return {
    RTSTUP: [resultRow(fields, { statusAt, statusBy, endAt }, zone)],
    RTPRUP: sortedLines([...lines.values()].map(lineRow)),
    RTOSDP: sortedLines([...lines.values()].flatMap(exceptionRows)),
  };
}

/** Hosts and drivers sort differently; the comparison ignores the order of rows. */
export function sortedLines(rows: readonly ModelRow[]): ModelRow[] {
  const text = (row: ModelRow): string =>
    JSON.stringify(
      Object.keys(row)
        .toSorted()
        .map((column) => row[column]),
    );
  return rows.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

type LineFields = NonNullable<NonNullable<StopObjectInput['products']>[number]['updates']>;

interface Line {
  readonly type: 'P' | 'C';
  readonly item: string;
  readonly invoice: string;
  readonly values: LineFields;
}

function resultRow(
  fields: Record<string, unknown>,
  { statusAt, statusBy, endAt }: { readonly statusAt: number; readonly statusBy: string; readonly endAt: number },
  zone: string,
): ModelRow {
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
  const status = text('status') || 'P';
  const end = text('end_delivery_time');
  const start = text('start_delivery_time');
  const skipped = text('skip_refuse_timestamp');
  const isSkipped = status === 'S' || status === 'R';
  // A skip does not date a delivery, nor the end of an earlier delivery a skip.
  const [ownEnd, ownSkip] = [isSkipped && endAt < statusAt ? '' : end, status === 'D' ? '' : skipped];
  const event = ownEnd || start || ownSkip || new Date(statusAt).toISOString();
  const delivered = local(end || (status === 'D' ? event : ''), zone);
  const passedBy = local(skipped || (isSkipped ? event : ''), zone);
  const begun = local(start, zone);
  return {
    RUSTS: status,
    RUSDT: begun.date,
    RUSTM: begun.time,
    RUEDT: delivered.date,
    RUETM: delivered.time,
    RUUTC: new Date(event).toISOString(),
    RULAT: Number(fields['delivery_latitude'] ?? 0).toFixed(6),
    RULON: Number(fields['delivery_longitude'] ?? 0).toFixed(6),
    RUDRV: text('delivered_by_driver_id') || (isSkipped ? statusBy : ''),
    RUSEMP: text('store_emp_id'),
    RUSNAM: text('store_emp_name'),
    RUCMT: text('driver_comments'),
    RUCMTL: 'N',
    RUSKRC: text('skip_refuse_reason_code'),
    RUSKDT: passedBy.date,
    RUSKTM: passedBy.time,
    RUSKCM: text('skip_refuse_driver_comment'),
  };
}

function lineRow({ type, item, invoice, values }: Line): ModelRow {
  return {
    RQTYP: type,
    RQINV: invoice,
    RQITM: item,
    RQDLV: String(values.delivered ?? 0),
    RQRTN: String(values.returned ?? 0),
    RQPAL: String(values.delivered_pallets ?? 0),
    RQACCF: values.accounting_complete ? 'Y' : 'N',
  };
}

function exceptionRows({ type, item, invoice, values }: Line): ModelRow[] {
  return (values.osd_data ?? []).flatMap(({ osd_id, osd_code, data }, group) =>
    (data ?? []).map((entry, place) => ({
      OSTYP: type,
      OSITM: item,
      OSINV: invoice,
      OSBAR: entry.barcodes ?? '',
      OSOID: osd_id ?? '',
      OSPAR: entry.osd_parent ?? '',
      OSCOD: String(osd_code),
      OSQTY: String(entry.quantity ?? 0),
      OSQTYP: entry.quantity_type === 'units' ? 'U' : entry.quantity_type === 'cases' ? 'C' : '',
      OSCMT: entry.comment ?? '',
      OSGRP: String(group + 1),
      OSENT: String(place + 1),
      OSDELF: 'N',
    })),
  );
}

/** The local date and time at the depot, as the host's programs store them; zeros for no time. */
function local(instant: string, zone: string): { date: string; time: string } {
  if (instant === '') return { date: '0', time: '0' };
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const [date = '', time = ''] = clock.format(new Date(instant)).split(' ');
  return { date: date.replaceAll('-', ''), time: String(Number(time.replaceAll(':', ''))) };
}
