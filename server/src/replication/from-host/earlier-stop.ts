import { officeSource, type RouteKey, type StopResult } from '@tailgate/sync-protocol';
import { codeBook, type CodeRow } from '../../codes/code-book.ts';
import { loadCodes } from '../../codes/sql.ts';
import type { Queryable } from '../../db/types.ts';
import { decide } from '../../mutations/apply/decide.ts';
import { inServerTime } from '../../mutations/apply/edit-time.ts';
import { readContent } from '../../mutations/item.ts';
import type { StopContext } from '../../stops/stop-context.ts';
import { inQueueOrder } from '../../stops/writers.ts';
import * as sql from './import-sql.ts';
import { keyOf } from './mirror-route.ts';

interface ChangeRow {
  readonly version: number;
  readonly source: string;
  readonly client_id: string | null;
  readonly seq: number | null;
  readonly employee: string;
  readonly captured_at: Date | null;
  readonly edit_time: Date;
  readonly received_at: Date;
  readonly body: string;
}

/** The ledger does not record these: today's plan lines, drivers and codes stand in. */
type Deps = Pick<StopContext, 'route' | 'plan' | 'codes'>;

/**
 * The result of a stop at an earlier version of its route, recomputed from the ledger by today's rules. Plan or rules
 * may have changed since, so the caller compares the result with a trace. Undefined where a change cannot be read.
 * @param by `phones` leaves out the changes of the office and of timers
 */
export async function stopAt(
  db: Queryable,
  key: RouteKey,
  stop: number,
  version: number,
  by: 'all' | 'phones' = 'all',
): Promise<StopResult | undefined> {
  const changes = await db.query<ChangeRow>(sql.listChangesUntil, [...keyOf(key), stop, version]);
  const deps = await readDeps(db, key, stop);
  let result: StopResult = { status: 'P' };
  for (const change of changes.rows) {
    if (by === 'phones' && !['sync', 'rest'].includes(change.source)) continue;
    const meaning = readContent(change.body);
    if (meaning.kind !== 'command') return undefined;
    ({ result } = decide(inServerTime(meaning, lagOf(change)), contextOf(change, result, deps)));
  }
  return result;
}

/** How far the device's clock was behind; ms. The edit time has its correction, but for a bound that moved the edit. */
const lagOf = ({ captured_at, edit_time }: ChangeRow): number =>
  captured_at === null ? 0 : edit_time.getTime() - captured_at.getTime();

function contextOf(change: ChangeRow, result: StopResult, deps: Deps): StopContext {
  const { source, client_id, seq, version, employee: by, edit_time, received_at: receivedAt } = change;
  const stamp = { at: edit_time.getTime(), client: client_id ?? source, seq: seq ?? version, by };
  return {
    ...deps,
    result: client_id === null ? result : inQueueOrder(result, stamp),
    // The ledger does not record the route's limit: it counts as not reached.
    unknownLines: 0,
    actor: source === officeSource ? { kind: 'office', user: by } : { kind: 'driver', employee: by },
    paths: 'current',
    stamp,
    receivedAt,
    closeMode: 'legacy',
    timerMs: 0,
  };
}

async function readDeps(db: Queryable, key: RouteKey, stop: number): Promise<Deps> {
  const [plans, drivers, codes] = await Promise.all([
    db.query<{ lines: string }>(sql.loadPlanLines, [...keyOf(key), stop]),
    db.query<{ employee: string }>(sql.loadDrivers, keyOf(key)),
    db.query<CodeRow>(loadCodes),
  ]);
  const notClosed = { closedAt: null, closedBy: null, autocloseAt: null, forcecloseAt: null } as const;
  return {
    route: {
      ...{ key, name: '', withdrawn: false, emailFlag: false, status: 'O', arrived: false, ...notClosed },
      drivers: drivers.rows.map(({ employee }) => ({ id: employee, name: '', type: '', removed: false })),
    },
    plan: { lines: plans.rows[0]?.lines ?? '', removed: false, customerSince: null, linesSince: null },
    codes: codeBook(codes.rows),
  };
}
