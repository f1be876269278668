import { lineKey, type LineKind } from '@tailgate/sync-protocol';

// The columns of the host that have one field of a stop's result each.

/** Columns of RTSTUP with one text each; a blank clears it. */
export const textFields = [
  ['RUFLWC', 'followup_reason_code'],
  ['RUDRV', 'delivered_by_driver_id'],
  ['RUSEMP', 'store_emp_id'],
  ['RUSNAM', 'store_emp_name'],
  ['RUCMT', 'driver_comments'],
  ['RUSKRC', 'skip_refuse_reason_code'],
  ['RUSKCM', 'skip_refuse_driver_comment'],
  ['RUSIG', 'signature_id'],
] as const;
/** Date and time of RTSTUP. */
export const momentFields = [
  ['RUSDT', 'RUSTM', 'start_delivery_time'],
  ['RUEDT', 'RUETM', 'end_delivery_time'],
  ['RUSKDT', 'RUSKTM', 'skip_refuse_timestamp'],
] as const;
/** Degrees of RTSTUP. */
export const placeFields = [
  ['RULAT', 'delivery_latitude'],
  ['RULON', 'delivery_longitude'],
] as const;
/** Counts of RTPRUP. */
export const countFields = [
  ['RQDLV', 'delivered'],
  ['RQRTN', 'returned'],
  ['RQPAL', 'delivered_pallets'],
] as const;

const resultFields: ReadonlyMap<string, string> = new Map<string, string>([
  ...textFields.map(([column, field]) => [column, field] as const),
  ...momentFields.flatMap(([date, time, field]) => [[date, field] as const, [time, field] as const]),
  ...placeFields.map(([column, field]) => [column, field] as const),
  ['RUFLWF', 'followup'],
]);
const lineFields: ReadonlyMap<string, string> = new Map<string, string>([
  ...countFields.map(([column, field]) => [column, field] as const),
  ['RQACCF', 'accounting_complete'],
  ['RQACTD', 'action_delivered'],
]);

/** The path of a column's field in the result; undefined where no single field has it. */
export function fieldPath(column: string, row: { readonly [column: string]: string }): string | undefined {
  if (column === 'RUSTS' || column === 'RSSTS') return 'status';
  if (column === 'RSARVF') return 'arrived';
  const field = resultFields.get(column);
  if (field !== undefined) return `updates.${field}`;
  const count = lineFields.get(column);
  if (count === undefined) return undefined;
  const kind: LineKind = row['RQTYP'] === 'C' ? 'collections' : 'products';
  return `${kind}.${lineKey(row['RQITM'] ?? '', row['RQINV'] ?? '', Number(row['RQLIN']) - 1)}.${count}`;
}
