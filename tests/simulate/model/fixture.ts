/** Constants that the worlds of all seeds share: one depot, one week. */
export const FACILITY = 'F01';
export const WEEK = '20261121';
/** The facility is in Chicago. In November its clocks are six hours behind UTC. */
export const FACILITY_BEHIND_MS = 6 * 3_600_000;
/** Stops of every route. Each of the first ones belongs to one driver; all drivers share the others. */
export const STOPS = 6;
/** In some worlds the dispatch plans a further stop in the course of the day. Drivers may record something there before. */
export const LATE_STOP = STOPS + 1;
export const hasLateStop = (seed: number): boolean => seed % 4 === 3;
/** The quantity to deliver at a stop, until the plan changes. */
export const QUANTITY = 5;
const DRIVERS_A_ROUTE = 4;
/** The last drivers share one phone. */
export const PHONES_A_ROUTE = 3;

/** The stop of the return to the depot (docs/host-files.md, RSSTP). */
export const WAREHOUSE = 999;
/** How stop 999 closes a route of this world, and how long its timers run. */
export interface Closing {
  readonly mode: 'legacy' | 'arrival';
  readonly timerMs: number;
}
/** A quarter of all worlds has stop 999. */
export const closingOf = (seed: number): Closing | undefined =>
  seed % 4 === 1 ? { mode: seed % 8 === 1 ? 'legacy' : 'arrival', timerMs: 8_000 } : undefined;

/** In a sixth of all worlds, the clocks of the servers' machines are wrong and jump. */
export const hasWrongServers = (seed: number): boolean => seed % 6 === 3;

/** In every other world, the lines of the doorbell name the users; in the others, only the audit tails of the rows do. */
export const hasNamedLines = (seed: number): boolean => seed % 2 === 0;

/** In a twelfth of all worlds, PostgreSQL is put back to an earlier backup. */
export const hasRestores = (seed: number): boolean => seed % 12 === 10;

/** In a fifth of all worlds, some drivers have a second route, whose drivers change. */
export const hasSecondRoute = (seed: number): boolean => seed % 5 === 2;
/** The stops of the second route are these in the diary, and 1 and 2 on their route. */
const SECOND_STOPS = [101, 102] as const;
const SECOND_FROM = 100;
export const isOfSecondRoute = (stop: number): boolean => SECOND_STOPS.some((each) => each === stop);

/** In a quarter of all worlds, customers get a mail of each delivery. */
export const hasMails = (seed: number): boolean => seed % 4 === 0;
/** The address of every customer of a world. */
export const addressOf = (seed: number): string => `market-${seed}@example.com`;

/** All stops of a seed. */
export const stopsOf = (seed: number): number[] => [
  ...Array.from({ length: STOPS }, (_, n) => n + 1),
  ...(hasSecondRoute(seed) ? SECOND_STOPS : []),
  ...(closingOf(seed) ? [WAREHOUSE] : []),
];

export const secondStopsOf = (seed: number): number[] => stopsOf(seed).filter(isOfSecondRoute);

/** The place of a stop of the diary. */
export interface Place {
  readonly route: RouteKey;
  readonly stop: number;
  readonly invoice: string;
}

interface RouteKey {
  readonly facility: string;
  readonly id: string;
  readonly week_end: string;
}

export const placeOf = (seed: number, stop: number): Place =>
  isOfSecondRoute(stop)
    ? { route: secondRouteOf(seed), stop: stop - SECOND_FROM, invoice: `INV${stop}` }
    : { route: routeOf(seed), stop, invoice: `INV${stop}` };

/** The stop in the diary, of a stop of a route. */
export const diaryStop = (seed: number, route: unknown, stop: number): number =>
  route === secondRouteOf(seed).id ? stop + SECOND_FROM : stop;

/** The drivers of a seed's route. */
export const driversOf = (seed: number): string[] =>
  Array.from({ length: DRIVERS_A_ROUTE }, (_, n) => String(10_000 + seed * DRIVERS_A_ROUTE + n));
export const routeOf = (seed: number): RouteKey => ({ facility: FACILITY, id: `S${seed}`, week_end: WEEK });
export const secondRouteOf = (seed: number): RouteKey => ({ ...routeOf(seed), id: `T${seed}` });
export const routesOf = (seed: number): RouteKey[] =>
  hasSecondRoute(seed) ? [routeOf(seed), secondRouteOf(seed)] : [routeOf(seed)];
/** The token of a driver's n-th sign-in. */
export const tokenOf = (employee: string, n = 0): string => `token-${n}-of-${employee}`;

/** The name of a route, until the plan changes. */
const nameOf = (seed: number): string => `Seed ${seed}`;

/** The part of a route that only the host changes, as far as this world's dispatch changes it. */
export interface Plan {
  readonly name: string;
  /** The quantity to deliver of the first line of each stop, in stop order. */
  readonly quantities: readonly number[];
}

export const initialPlan = (seed: number): Plan => ({
  name: nameOf(seed),
  quantities: Array.from({ length: STOPS }, () => QUANTITY),
});

/** The route as the office dispatches it. */
export function routeFile(seed: number, { name, quantities }: Plan = initialPlan(seed)): object {
  // All worlds share the customers of the host, and these have an address of one world.
  const customerOf = (n: number): object =>
    hasMails(seed) ? { id: `${seed}-${n}`, contact: { email: addressOf(seed) } } : {};
  const stops = quantities.map((quantity, i) => stopFile(i + 1, i + 1, { quantity, customer: customerOf(i + 1) }));
  if (closingOf(seed)) stops.push({ id: WAREHOUSE, type: 'warehouse' });
  const email_flag = hasMails(seed) ? 'Y' : 'N';
  return { ...routeOf(seed), name, email_flag, drivers: driverRows(driversOf(seed)), stops };
}

/** The second route of a seed, with its present drivers. */
export function secondRouteFile(seed: number, drivers: readonly string[]): object {
  const stops = SECOND_STOPS.map((stop) => stopFile(stop - SECOND_FROM, stop));
  return { ...secondRouteOf(seed), name: `Second ${seed}`, drivers: driverRows(drivers), stops };
}

const driverRows = (drivers: readonly string[]): object[] => drivers.map((id) => ({ id, type: 'DRIVER' }));

const stopFile = (id: number, n: number, { quantity = QUANTITY, customer = {} } = {}): object => ({
  id,
  type: 'delivery',
  customer: { id: `C${n}`, name: `Market ${n}`, ...customer },
  products: [
    { id: 'EGGS', name: 'Eggs', invoice: `INV${n}`, quantity },
    { id: 'MILK', name: 'Milk', invoice: `INV${n}`, quantity: QUANTITY },
  ],
  collections: [],
});

/** The first drivers of the second route. */
export const secondDriversOf = (seed: number): string[] => (hasSecondRoute(seed) ? driversOf(seed).slice(0, 2) : []);
