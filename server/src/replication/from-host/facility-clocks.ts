import type { Queryable } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import * as sql from './facility-clocks-sql.ts';

/**
 * A facility whose times are in UTC. `zone` is the value in FACMSTP; blank where it has none, or lacks the facility.
 */
export type FacilityInUtc = { readonly facility: string; readonly zone: string };

/** Finds facilities without a time zone. Each is one incident until it has a zone. */
export async function recordFacilitiesInUtc(db: Queryable, log: Log): Promise<void> {
  const { rows } = await db.query<FacilityInUtc>(sql.recordInUtc);
  for (const each of rows) log.warn({ ...each }, 'a facility has no time zone that exists: its times are in UTC');
}

export async function facilitiesInUtc(db: Queryable): Promise<FacilityInUtc[]> {
  return (await db.query<FacilityInUtc>(sql.listInUtc)).rows;
}

/** For readiness. */
export async function clockRemarks(db: Queryable): Promise<string[]> {
  return (await facilitiesInUtc(db)).map(
    ({ facility }) => `facility ${facility} has no time zone that exists: its times are in UTC`,
  );
}

/** The zone in which the host's times of a facility are read and written. Blank: UTC. */
export async function zoneOf(db: Queryable, facility: string): Promise<string> {
  return (await db.query<{ zone: string }>(sql.findZone, [facility])).rows[0]?.zone ?? '';
}
