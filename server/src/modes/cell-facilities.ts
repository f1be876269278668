import type { RouteKey } from '@tailgate/sync-protocol';

/** FACILITIES: each facility of a cell with the first week (YYYYMMDD) whose routes it takes; a blank week: all routes. */
export type CellFacilities = ReadonlyMap<string, string>;

/** Whether a cell takes this route where it is new. @param facilities undefined: all */
export function takesRoute(facilities: CellFacilities | undefined, { facility, week_end }: RouteKey): boolean {
  if (facilities === undefined) return true;
  const from = facilities.get(facility);
  return from !== undefined && week_end >= from;
}
