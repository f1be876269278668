import type { ExportedQueue, Imported } from '@tailgate/client-sdk/rescue';
import { codesOf } from '@tailgate/client-sdk/rescue';

type Bytes = Uint8Array<ArrayBuffer>;

/** The changes that go to another phone. */
export interface HandOver {
  readonly changes: number;
  /** When the oldest was recorded; ms since 1970. */
  readonly since: number | undefined;
  readonly drivers: readonly { readonly employee: string; readonly n: number }[];
}

export function handOverOf(queues: readonly ExportedQueue[]): HandOver {
  const byDriver = new Map<string, number>();
  for (const { employee_id, mutations } of queues)
    byDriver.set(employee_id, (byDriver.get(employee_id) ?? 0) + mutations.length);
  const times = queues.flatMap(({ mutations }) => mutations.map(({ captured_at }) => Date.parse(captured_at)));
  return {
    changes: times.length,
    since: times.length > 0 ? Math.min(...times) : undefined,
    drivers: [...byDriver].map(([employee, n]) => ({ employee, n })),
  };
}

/** The same text for the same changes: their codes and their passphrase then stay as they were. */
export const contentOf = (queues: readonly ExportedQueue[]): string =>
  queues.flatMap(({ mutations }) => mutations.map(({ id }) => id)).join(' ');

/** The texts of the codes; undefined where there are too many to film. */
export function codesFor(parcel: Bytes): readonly string[] | undefined {
  try {
    return codesOf(parcel);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Bytes in one line of a file. */
const lineBytes = 30_000;

/** The content of a file with the same changes: codes as lines of text, because phones share text files. */
export const fileText = (parcel: Bytes): string => `${codesOf(parcel, lineBytes).join('\n')}\n`;

/** A driver's changes that came from another phone. */
export interface Arrival {
  readonly employee: string;
  /** Changes that this phone has in addition. */
  readonly added: number;
  readonly routes: readonly string[];
}

/** @param imported the result of each queue, in the same order */
export function arrivalsOf(queues: readonly ExportedQueue[], imported: readonly Imported[]): readonly Arrival[] {
  const byDriver = new Map<string, { added: number; routes: Set<string> }>();
  for (const [place, { employee_id, mutations }] of queues.entries()) {
    const arrival = byDriver.get(employee_id) ?? { added: 0, routes: new Set<string>() };
    arrival.added += imported[place]?.items ?? 0;
    for (const { args } of mutations) {
      const route = routeOf(args);
      if (route !== undefined) arrival.routes.add(route);
    }
    byDriver.set(employee_id, arrival);
  }
  return [...byDriver].map(([employee, { added, routes }]) => ({ employee, added, routes: [...routes].sort() }));
}

/** The number of the route that a change names; undefined for a report. */
function routeOf({ route }: Readonly<Record<string, unknown>>): string | undefined {
  return route instanceof Object && 'id' in route && typeof route.id === 'string' ? route.id : undefined;
}
