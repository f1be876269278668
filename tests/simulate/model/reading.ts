import type { StopValues } from './diary.ts';

// Readers of stored JSON, by docs/protocol.md alone. They fail on everything that this world's drivers cannot record.

type Members = Readonly<Record<string, unknown>>;

export function members(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} is no object`);
  return { ...value };
}

/** The only element of a list. */
function only(value: unknown, what: string): unknown {
  if (!Array.isArray(value) || value.length !== 1) throw new Error(`${what} is no list of one`);
  return value[0];
}

/** The arguments of a `stop.update`, in this world's terms. */
export function valuesIn(args: unknown): StopValues {
  const stop = members(members(args, 'args')['stop'], 'stop');
  const updates = stop['updates'] === undefined ? {} : members(stop['updates'], 'updates');
  const values: { -readonly [Name in keyof StopValues]: StopValues[Name] } = {};
  for (const [name, value] of Object.entries(updates)) {
    if (name === 'status' && (value === 'D' || value === 'S')) values.status = value;
    else if (name === 'driver_comments' && typeof value === 'string') values.driver_comments = value;
    else if (name === 'store_emp_name' && typeof value === 'string') values.store_emp_name = value;
    else if (name === 'signature_id' && typeof value === 'string') values.signature_id = value;
    else if (name === 'end_delivery_time' && typeof value === 'string') values.end_delivery_time = value;
    // The server notes who delivered; the invariants compare it on the host.
    else if (name !== 'delivered_by_driver_id') throw new Error(`no driver recorded ${name} ${JSON.stringify(value)}`);
  }
  if (stop['products'] !== undefined) {
    const line = members(only(stop['products'], 'products'), 'product');
    const { delivered } = members(line['updates'], 'updates of a product');
    if (typeof delivered !== 'number') throw new Error('a product without a quantity');
    values.delivered = delivered;
  }
  return values;
}

/** A row of the ledger has its arguments as text. */
export const valuesOf = (body: string): StopValues => valuesIn(members(JSON.parse(body), 'body')['args']);
