import type { Json, LocalRoute } from '@tailgate/client-sdk';

/** More do not fit beside the field. */
const max = 3;
/** Customers whose names the phone remembers, the latest ones. */
const maxCustomers = 300;
const keepMs = 90 * 86_400_000;

/** A signer's name and time; ms since 1970. */
interface Signing {
  readonly name: string;
  readonly at: number;
}

/** Names by customer, as the driver's memo keeps them; the latest first. */
type Signers = Readonly<Record<string, readonly Signing[]>>;

/** Names of people who have signed for this customer, on routes of this phone and earlier; the latest first. */
export function earlierSigners(
  routes: readonly (Pick<LocalRoute, 'stops'> | undefined)[],
  memo: unknown,
  customer: string,
): string[] {
  const signed = routes
    .flatMap((route) => route?.stops ?? [])
    .filter((stop) => stop.customer.id === customer)
    .flatMap(({ updates: { store_emp_name: name, end_delivery_time: at } }) =>
      name === null || name.trim() === '' ? [] : [{ name: name.trim(), at: Date.parse(at ?? '') || 0 }],
    );
  const names = [...signed, ...(signersIn(memo)[customer] ?? [])].sort((a, b) => b.at - a.at).map(({ name }) => name);
  return [...new Set(names)].slice(0, max);
}

/** The driver's memo with one more signing. Old ones leave it. */
export function withSigner(memo: unknown, customer: string, name: string, now: number): Json {
  const before = signersIn(memo);
  const others = (before[customer] ?? []).filter((each) => each.name !== name);
  const all = { ...before, [customer]: [{ name, at: now }, ...others].slice(0, max) };
  const recent = Object.entries(all)
    .map(([id, signings]) => [id, signings.filter(({ at }) => now - at < keepMs)] as const)
    .filter(([, signings]) => signings.length > 0)
    .sort(([, a], [, b]) => (b[0]?.at ?? 0) - (a[0]?.at ?? 0))
    .slice(0, maxCustomers);
  const signers = Object.fromEntries(
    recent.map(([id, list]) => [id, list.map(({ name: by, at }) => ({ name: by, at }))]),
  );
  return { signers };
}

function signersIn(memo: unknown): Signers {
  const stored = isRecord(memo) ? memo['signers'] : undefined;
  if (!isRecord(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).map(([id, list]) => [id, Array.isArray(list) ? list.filter(isSigning) : []] as const),
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value instanceof Object && !Array.isArray(value);

const isSigning = (value: unknown): value is Signing =>
  isRecord(value) && typeof value['name'] === 'string' && typeof value['at'] === 'number';
