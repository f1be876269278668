import type { Listener } from '../../db/listen.ts';
import type { Queryable } from '../../db/types.ts';
import { hostPlace } from '../../host/connection/host-place.ts';
import type { CellFacilities } from '../../modes/cell-facilities.ts';
import { onlyCell } from '../../runtime/cell-name.ts';
import { StartError } from '../../runtime/start-error.ts';
import { findClaims } from './facility-claims-sql.ts';

export interface ClaimOptions {
  readonly db: Queryable;
  readonly listener: Pick<Listener, 'hold'>;
  /** Undefined: the cell takes all facilities. */
  readonly facilities: CellFacilities | undefined;
  /** Address and name of the library. */
  readonly host: string;
  readonly library: string;
}

/**
 * Claims the facilities of this cell in its library, and refuses those of another cell in the same database: both would
 * write the same rows. A claim is a lock of the LISTEN session, so that it ends with its process. Workers of a cell share
 * theirs. Cells in other databases are not seen.
 *
 * @throws StartError that names the facility, the other cell and its session
 */
export async function claimFacilities({ db, listener, facilities, host, library }: ClaimOptions): Promise<void> {
  const place = hostPlace(host, library);
  const anyClaim = `tailgate facilities of ${place}`;
  const allClaim = `tailgate all facilities of ${place}`;
  const named = new Map([...(facilities?.keys() ?? [])].map((id) => [`tailgate facility ${id} of ${place}`, id]));
  // Before the search: of two cells that start at the same time, one sees the other at least.
  await listener.hold(facilities ? [anyClaim, ...named.keys()] : [anyClaim, allClaim]);
  const refused = facilities ? [allClaim, ...named.keys()] : [anyClaim];
  const { rows } = await db.query<{ claim: string; pid: number; session: string }>(findClaims, [refused]);
  const [found] = rows;
  if (!found) return;
  const facility = named.get(found.claim);
  const what = facility === undefined ? 'facilities' : `facility ${facility}`;
  const cell = /^tailgate listen_(.+)$/.exec(found.session)?.[1] ?? onlyCell;
  const why =
    found.claim === allClaim
      ? `cell ${cell} has no FACILITIES and takes all of them`
      : `cell ${cell} takes ${facility === undefined ? 'some of them, and this cell has no FACILITIES' : 'it, too'}`;
  throw new StartError(
    `FACILITIES: ${what} of library ${library}: ${why}; both cells would write the same rows. Name each facility in one cell, ` +
      `and restart the workers of the cell that loses it first. A stopped worker takes nothing; where its session ${found.pid} ` +
      `has remained, "select pg_terminate_backend(${found.pid})" ends it (docs/scaling.md)`,
  );
}
