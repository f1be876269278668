import { createSignal } from '../ui/signal.ts';
import type { DataOf } from './api/operations.ts';

export type Facility = DataOf<'readCaller'>['facilities'][number];

const storageKey = 'tailgate-facilities';

/** The facilities of the server with their zones; kept in the tab for a reload. */
export const facilities = createSignal<readonly Facility[]>(kept());

export function knowFacilities(next: readonly Facility[]): void {
  const text = JSON.stringify(next);
  if (text === JSON.stringify(facilities.current)) return;
  sessionStorage.setItem(storageKey, text);
  facilities.set(next);
}

/** The reader's own zone. */
const readersZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What a time is about. */
export interface Placed {
  /** Of the row itself. */
  readonly zone?: string | undefined;
  readonly facility?: string | null | undefined;
}

/** The zone of a time: that of its place, else the reader's. */
export const zoneOf = (of?: Placed): string => zoneOfPlace(of) ?? readersZone;

/**
 * Whether a time names its zone: one on the reader's clock because it has no place, and, where facilities have several
 * zones, each that the reader's clock shows otherwise.
 */
export const namesZone = (of: Placed | undefined, differs: (zone: string, readersZone: string) => boolean): boolean => {
  const zone = zoneOfPlace(of);
  if (zone === undefined) return true;
  return new Set(facilities.current.map((each) => each.zone)).size > 1 && differs(zone, readersZone);
};

/** The row's own zone, else the one of its facility, else the one that all facilities share; undefined where none is known. */
function zoneOfPlace({ zone, facility }: Placed = {}): string | undefined {
  if (isZone(zone)) return zone;
  const own = facilities.current.find(({ id }) => id === facility)?.zone;
  if (isZone(own)) return own;
  const [shared, ...others] = new Set(facilities.current.map((each) => each.zone));
  return others.length === 0 && isZone(shared) ? shared : undefined;
}

const zones = new Map<string, boolean>();

/** Whether the browser knows the zone. */
function isZone(zone: string | undefined): zone is string {
  if (zone === undefined || zone === '') return false;
  const known = zones.get(zone);
  if (known !== undefined) return known;
  let isGood = true;
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    isGood = false;
  }
  zones.set(zone, isGood);
  return isGood;
}

function kept(): readonly Facility[] {
  const found: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
  return Array.isArray(found) ? found.filter(isFacility) : [];
}

function isFacility(value: unknown): value is Facility {
  return value instanceof Object && 'id' in value && 'name' in value && 'zone' in value;
}
