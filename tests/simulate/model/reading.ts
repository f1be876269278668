import type { StopValues } from './diary.ts';
import { exceptionsIn } from './exceptions.ts';
import { type Members, members } from './members.ts';

// Readers of stored JSON, by docs/protocol.md alone. They fail on everything that this world's drivers cannot record.

/** The arguments of a mutation, in this world's terms. */
export function valuesIn(args: unknown): StopValues {
  const given = members(args, 'args');
  const values: Writable = {};
  if ('stop_id' in given) {
    const { route: _route, stop_id: _stop, device_times: _times, ...fields } = given;
    readUpdates(fields, values);
    return values;
  }
  if ('report' in given) return { report: reportIn(given['report']) };
  const stop = members(given['stop'], 'stop');
  if (stop['arrived'] === true) values.arrived = true;
  if (stop['updates'] !== undefined) readUpdates(members(stop['updates'], 'updates'), values);
  const products: unknown = stop['products'] ?? [];
  if (!Array.isArray(products)) throw new Error('products are no list');
  for (const product of products) readLine(members(product, 'product'), values);
  return values;
}

/** Of the arguments, or of a stored revision. */
export function reportIn(report: unknown): string {
  const { reportId, sections } = members(report, 'report');
  if (!Array.isArray(sections)) throw new Error('a report without sections');
  return `${String(reportId)}:${sections.map((each: unknown) => String(members(each, 'section')['comment'])).join('|')}`;
}

type Writable = { -readonly [Name in keyof StopValues]: StopValues[Name] };

function readUpdates(updates: Members, values: Writable): void {
  for (const [name, value] of Object.entries(updates)) {
    if (name === 'status' && (value === 'D' || value === 'S' || value === 'R')) values.status = value;
    else if (isTextField(name) && typeof value === 'string') values[name] = value;
    // The server notes who delivered; the invariants compare it on the host.
    else if (name !== 'delivered_by_driver_id') throw new Error(`no driver recorded ${name} ${JSON.stringify(value)}`);
  }
}

const textFields = [
  'driver_comments',
  'store_emp_name',
  'signature_id',
  'skip_refuse_reason_code',
  'skip_refuse_driver_comment',
  'end_delivery_time',
  'skip_refuse_timestamp',
] as const;
const isTextField = (name: string): name is (typeof textFields)[number] => textFields.some((each) => each === name);

function readLine(line: Members, values: Writable): void {
  const { delivered, returned, osd_data, ...others } = members(line['updates'], 'updates of a product');
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new Error(`no driver recorded ${unknown.join(', ')} of a product`);
  if (line['id'] === 'EGGS' && returned === undefined) {
    if (typeof delivered === 'number') values.delivered = delivered;
    if (osd_data !== undefined) values.exceptions = exceptionsIn(osd_data);
  } else if (line['id'] === 'MILK' && typeof returned === 'number') values.returned = returned;
  else throw new Error(`no driver recorded the line ${JSON.stringify(line)}`);
}

/** A row of the ledger has its arguments as text. */
export const valuesOf = (body: string): StopValues => valuesIn(members(JSON.parse(body), 'body')['args']);

/** The arguments of an edit that a restored server made of the host's rows: a blank column is no value. */
export const foundValuesOf = (body: string): StopValues =>
  valuesIn(withoutBlanks(members(JSON.parse(body), 'body')['args']));

function withoutBlanks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBlanks);
  if (typeof value !== 'object' || value === null) return value;
  const isBlank = (each: unknown): boolean => !each || (Array.isArray(each) && each.length === 0);
  const kept = Object.entries(value).filter(([, each]) => !isBlank(each));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutBlanks(each)]));
}
