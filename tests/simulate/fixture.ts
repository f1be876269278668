/** Where the worlds of all seeds are the same: one depot, one week. */
export const FACILITY = 'F01';
export const WEEK = '20261121';
/** Stops of every route; the first ones are each one driver's alone, the others everybody's. */
export const STOPS = 6;
/** What is to be delivered at a stop, until the plan changes. */
export const QUANTITY = 5;
const DRIVERS_A_ROUTE = 4;
/** The last drivers have one phone between them. */
export const PHONES_A_ROUTE = 3;

/** The drivers of a seed's route. */
export const driversOf = (seed: number): string[] =>
  Array.from({ length: DRIVERS_A_ROUTE }, (_, n) => String(10_000 + seed * DRIVERS_A_ROUTE + n));
export const routeOf = (seed: number) => ({ facility: FACILITY, id: `S${seed}`, week_end: WEEK });
/** What the n-th sign-in of a driver has given them. */
export const tokenOf = (employee: string, n = 0): string => `token-${n}-of-${employee}`;

/** What a route is called, until the plan changes. */
export const nameOf = (seed: number): string => `Seed ${seed}`;

/** The route as the office dispatches it. */
export function routeFile(seed: number): object {
  return {
    ...routeOf(seed),
    name: nameOf(seed),
    drivers: driversOf(seed).map((id) => ({ id, type: 'DRIVER' })),
    stops: Array.from({ length: STOPS }, (_, n) => ({
      id: n + 1,
      type: 'delivery',
      customer: { id: `C${n + 1}`, name: `Market ${n + 1}` },
      products: [{ id: 'EGGS', name: 'Eggs', invoice: `INV${n + 1}`, quantity: QUANTITY }],
      collections: [],
    })),
  };
}
