import { isAdopted } from './adopted.ts';
import { type DriverHistory, fields, type StopValues } from './diary.ts';
import type { Edit, Evidence, OfficeEdit } from './evidence.ts';
import { routesOf } from './fixture.ts';
import { type HostStop, valuesOnHost } from './host-rows.ts';
import { momentIn } from './moments.ts';

/** PostgreSQL was put back to an earlier backup. Times are the world's. */
export interface PutBack {
  readonly backedUpAt: number;
  readonly at: number;
  /** The host at that moment. It is not put back. */
  readonly onHost: ReadonlyMap<number, HostStop>;
}

/** The host's times are cut to seconds. */
const SECOND_MS = 1_000;

/**
 * A restored server has lost the changes since its backup (docs/operations.md, Backup and restore). Phones send theirs
 * again. Those by REST and by clerks come back from the host only.
 */
export class Restores {
  readonly #putBacks: PutBack[] = [];
  /** Changes that the ledger had, and has not got again. */
  readonly #lost = new Set<string>();
  /** How many edits the clerks had made when the restored server had compared the host; undefined before. */
  #editsBeforeComparison: number | undefined;

  get hasHappened(): boolean {
    return this.#putBacks.length > 0;
  }

  /** @param before the ids in the ledger in front of it @param after those behind it */
  add(putBack: PutBack, before: readonly string[], after: readonly string[]): void {
    this.#putBacks.push(putBack);
    this.#editsBeforeComparison = undefined;
    const kept = new Set(after);
    for (const id of before) if (!kept.has(id)) this.#lost.add(id);
  }

  /** Whether the server has not yet compared the host since the last put-back. */
  get awaitsComparison(): boolean {
    return this.hasHappened && this.#editsBeforeComparison === undefined;
  }

  /** The server has compared every route with the host. @param edits of clerks so far */
  compared(edits: number): void {
    this.#editsBeforeComparison ??= edits;
  }

  /** The edits that clerks made before that comparison. Later ones hide nothing from it. */
  beforeComparison(edits: readonly OfficeEdit[]): readonly OfficeEdit[] {
    return edits.slice(0, this.#editsBeforeComparison);
  }

  hasLost(id: string): boolean {
    return this.#lost.has(id);
  }

  get losses(): number {
    return this.#lost.size;
  }

  /** The phones have sent some of the lost changes again. */
  findAgain(received: readonly string[], histories: readonly DriverHistory[], now: number): void {
    for (const id of received) {
      if (!this.#lost.delete(id)) continue;
      for (const history of histories) if (history.has(id)) history.acceptedAt.set(id, now);
    }
  }

  /** Whether a restored server may have found this value on the host. */
  hadOnHost(stop: number, field: keyof StopValues, value: unknown): boolean {
    return this.#putBacks.some((putBack) => isOnHost(putBack, stop, field, value));
  }

  /** The last put-back, if the host showed this value at that moment. It undoes what an earlier one had brought back. */
  lastWith(stop: number, field: keyof StopValues, value: unknown): PutBack | undefined {
    const last = this.#putBacks.at(-1);
    return last && isOnHost(last, stop, field, value) ? last : undefined;
  }

  /**
   * Whether an edit of the office may have this time without a clerk: a write of the service between backup and restore
   * has the time of the write, and another value the time when a restored server found it.
   */
  mayDate(edit: Edit): boolean {
    const { editTime, receivedAt } = edit;
    return this.#putBacks.some(({ backedUpAt, at }) =>
      isAdopted(edit)
        ? editTime >= backedUpAt - SECOND_MS && editTime <= at
        : editTime >= at && editTime === receivedAt,
    );
  }

  /** Whether a clerk's edit may be missing: it was lost, and the host did not show it any more. */
  mayLack(stop: number, values: StopValues, writtenAt: number): boolean {
    return this.#putBacks.some(
      ({ at, onHost }) =>
        writtenAt <= at &&
        !Object.entries(values).some(([field, value]) => {
          const host = onHost.get(stop);
          return host !== undefined && valuesOnHost(host)[field] === value;
        }),
    );
  }

  /** Whether the host dated the arrival at a stop so at a put-back: a restored server finds the mark, and no time of it. */
  hadArrival(stop: number, at: number | undefined): boolean {
    return this.#putBacks.some(({ onHost }) => {
      const host = onHost.get(stop);
      return host !== undefined && momentIn(host.result, 'RUAR') === at;
    });
  }

  /** The driver of a stop, if the host showed this one at a put-back. */
  driverOnHost(stop: number, shown: unknown): unknown {
    return this.#putBacks.map(({ onHost }) => onHost.get(stop)?.result['RUDRV']).find((each) => each === shown);
  }
}

function isOnHost({ onHost }: PutBack, stop: number, field: keyof StopValues, value: unknown): boolean {
  const host = onHost.get(stop);
  return host !== undefined && shownOnHost(host, field) === value;
}

function shownOnHost(host: HostStop, field: keyof StopValues): unknown {
  const moment = (name: string): string | undefined => {
    const at = momentIn(host.result, name);
    return at === undefined ? undefined : new Date(at).toISOString();
  };
  if (field === 'end_delivery_time') return moment('RUE');
  if (field === 'skip_refuse_timestamp') return moment('RUSK');
  return valuesOnHost(host)[field];
}

/**
 * A change by REST that a restored server lost comes back where the host showed it at the put-back, and no clerk has
 * overwritten it there before a server compared the host.
 */
export function wrongLosses(edits: readonly Edit[], { requests, restores, office }: Evidence): string[] {
  return requests.flatMap(({ id, stop, values, isAnswered }) => {
    if (!isAnswered || !restores.hasLost(id)) return [];
    return fields.flatMap((field) => {
      const value = values[field];
      const shownAt = value === undefined ? undefined : restores.lastWith(stop, field, value)?.at;
      if (shownAt === undefined) return [];
      const isOverwritten = restores
        .beforeComparison(office.edits)
        .some((each) => each.stop === stop && each.at >= shownAt && field in each.values);
      const isBack = edits.some((edit) => edit.stop === stop && edit.stored[field] === value);
      return isBack || isOverwritten ? [] : [`the restore lost the REST request ${id}, which the host showed`];
    });
  });
}

/** What a restored server has lost and not got again. The host may show it until the server has compared it. */
export const lostIn = ({ requests, drivers, restores }: Pick<Evidence, 'requests' | 'drivers' | 'restores'>) =>
  [
    ...requests.map(({ sentAt, ...request }) => ({ ...request, at: sentAt.at(-1) })),
    ...drivers.flatMap(({ history }) => history.taps),
  ].filter(({ id }) => restores.hasLost(id));

/** The ids in the ledger of a world's routes and drivers. */
export async function idsInLedger({ db, seed, drivers }: Pick<Evidence, 'db' | 'seed' | 'drivers'>): Promise<string[]> {
  const { rows } = await db.query<{ readonly id: string }>(
    `select id from ledger where route_id = any($1) or facility = '' and employee = any($2)`,
    [routesOf(seed).map(({ id }) => id), drivers.map(({ employee }) => employee)],
  );
  return rows.map(({ id }) => id);
}
