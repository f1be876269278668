import { z } from 'zod';
import { knownZone } from '../../runtime/zone-clock.ts';
import { isHostText } from '../files/fit.ts';

// The input of `host load`: a route in the shape of the unprefixed GET's `data`, plus `email_flag` and the collections'
// `invoice` (contract §11); or an object of `facilities`, `employees` and `routes`. Lengths are the host's, as for any
// dispatch program.

const text = (length: number) =>
  z
    .string()
    .max(length, `longer than the host's ${length} characters`)
    .refine(isHostText, 'has a character that the host lacks')
    .nullish()
    .transform((value) => value?.trimEnd() ?? '');
const name = (length: number) => text(length).refine((value) => value !== '', 'is required');
const count = z
  .int()
  .min(0)
  .max(9_999_999)
  .nullish()
  .transform((value) => value ?? 0);
const flag = z.boolean().nullish();
const day = z
  .string()
  .regex(/^\d{8}$/, 'expected YYYYMMDD')
  .refine(isCalendarDay, 'no such day');
const degrees = z
  .union([z.string().regex(/^-?\d{1,3}(\.\d{1,6})?$|^$/, 'expected decimal degrees'), z.number()])
  .nullish()
  .transform((value) => Number(value || 0))
  .refine((value) => Math.abs(value) <= 180, 'expected decimal degrees');
/** The results in the payload belong to the service: a dispatch program does not write them. */
const unusedField = z.unknown().optional();
const settings = { required: flag, count_in_totes: flag, add_photos: flag };

const line = {
  id: name(15),
  name: text(30),
  description: text(50),
  invoice: text(10),
  quantity: count,
  section: text(12),
  container_type: text(12),
  ...settings,
  action: z.looseObject({ type: text(10) }).nullish(),
  updates: unusedField,
};
const product = z.object({ ...line, box_upc: text(20), item_upc: text(20), trailer_area: text(8) });
const collection = z.object(line);

const customer = z.object({
  id: text(10),
  name: text(40),
  verify_returns: flag,
  contact: z
    .object({
      phone: text(15),
      email: text(80),
      contact_email: text(80),
      salesrep: z.object({ id: text(10), name: text(40), phone: text(15) }).nullish(),
    })
    .nullish(),
  location: z
    .object({
      address: z.array(text(40)).max(3, 'the host keeps three lines').nullish(),
      city: text(30),
      state: text(2),
      zip: text(10),
      coordinates: z.object({ latitude: degrees, longitude: degrees }).nullish(),
    })
    .nullish(),
});
/** A stop without a customer, such as the warehouse, has a blank one. */
const customerOfStop = customer
  .refine(({ id, name: called }) => id !== '' || called === '', { path: ['id'], message: 'is required' })
  .nullish()
  .transform((value) => (value?.id ? value : undefined));

const stop = z.object({
  id: z.int().min(1).max(999),
  type: z.enum(['delivery', 'backhaul', 'warehouse']).nullish(),
  /** The planned arrival on the clock of the facility. */
  eta: z
    .string()
    .regex(/^([01]\d|2[0-3])[0-5]\d[0-5]\d$|^$/, 'expected HHMMSS')
    .nullish(),
  arrived: unusedField,
  updates: unusedField,
  osd_emails: unusedField,
  customer: customerOfStop,
  invoices: z
    // A blank date where the host has none.
    .array(z.object({ id: name(10), date: z.union([z.iso.date(), z.literal('')], 'expected YYYY-MM-DD') }))
    .nullish()
    .transform((list) => list ?? []),
  products: z
    .array(product)
    .nullish()
    .transform((list) => list ?? []),
  collections: z
    .array(collection)
    .superRefine(eachOnce('collection of item'))
    .nullish()
    .transform((list) => list ?? []),
});

const route = z.object({
  id: name(10),
  facility: name(5),
  week_end: day,
  name: text(30),
  trailer: text(10),
  email_flag: z.enum(['Y', 'N']).nullish(),
  last_updated: unusedField,
  drivers: z
    .array(z.object({ id: name(10), name: unusedField, type: text(10) }))
    .nullish()
    .transform((list) => list ?? []),
  stops: z.array(stop).superRefine(eachOnce('stop')),
});

const facility = z.object({
  id: name(5),
  name: text(30),
  time_zone: name(40).refine((zone) => knownZone(zone) === zone, 'is no IANA time zone'),
});
const employee = z.object({
  id: name(10),
  name: name(40),
  phone: text(15),
  active: z.boolean().default(true),
  facility: text(5),
  job: text(10),
});
const loadFile = z.strictObject({
  facilities: z.array(facility).superRefine(eachOnce('facility')).default([]),
  employees: z.array(employee).superRefine(eachOnce('employee')).default([]),
  routes: z.array(route).default([]),
});

export type LoadFile = z.infer<typeof loadFile>;
export type RouteFile = z.infer<typeof route>;
export type StopFile = RouteFile['stops'][number];
export type LineFile = z.infer<typeof collection>;

/** The mistakes of a file, a line each: `stops.0.products.2.quantity: …`. */
export class LoadFileError extends Error {
  override readonly name = 'LoadFileError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** One route, an array of routes, or masters and routes by name. @throws LoadFileError naming every bad path */
export function parseLoadFile(content: unknown): LoadFile {
  const isByName =
    typeof content === 'object' && content !== null && Object.keys(loadFile.shape).some((list) => list in content);
  const routes = Array.isArray(content) ? content : [content];
  const parsed = loadFile.safeParse(isByName ? content : { routes });
  if (parsed.success) return parsed.data;
  // Paths are those of the written file: a list of routes has no `routes` above it, a single route no index either.
  const from = isByName ? 0 : Array.isArray(content) ? 1 : 2;
  throw new LoadFileError(
    parsed.error.issues.map(({ path, message }) => `${path.slice(from).join('.') || 'the file'}: ${message}`),
  );
}

/** One route or an array of routes. @throws LoadFileError naming every bad path */
export const parseRouteFile = (content: unknown): RouteFile[] => parseLoadFile(content).routes;

/** Stops have one row each, and so has each collected item of a stop. */
function eachOnce(what: string) {
  return (items: readonly { id: number | string }[], context: z.RefinementCtx): void => {
    const seen = new Set<number | string>();
    for (const [index, { id }] of items.entries()) {
      if (seen.has(id))
        context.addIssue({ code: 'custom', path: [index, 'id'], message: `${what} ${id} is there twice` });
      seen.add(id);
    }
  };
}

function isCalendarDay(digits: string): boolean {
  const iso = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso);
}
