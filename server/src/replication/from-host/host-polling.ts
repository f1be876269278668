import { hash } from 'node:crypto';
import type { Db } from '../../db/types.ts';
import { ClosedRounds } from './closed-rounds.ts';
import { inParts } from '../../host/files/in-parts.ts';
import type { HostChanges, HostChange } from '../../host/reads/host-changes.ts';
import type { Host } from '../../host/host.ts';
import { CurrentModes, modeOf } from '../../modes/modes.ts';
import {
  hasHeader,
  placeKey,
  readClosedRoutes,
  readMarks,
  routeOfPlace,
  type Mark,
  type PlaceMark,
  type RouteMark,
  type RoutePlaces,
  type CurrentMark,
  type ClosedRouteMark,
} from '../../host/reads/marks.ts';
import * as sql from './polling-sql.ts';
import { importedWeeks } from '../../host/reads/imported-weeks.ts';

export interface PollingOptions {
  readonly db: Db;
  readonly host: Host;
  readonly clock: () => Date;
  /** IMPORT_FROM: the first week (YYYYMMDD) to poll. */
  readonly importFrom?: string | undefined;
  /** As refreshed by the importer. */
  readonly modes?: CurrentModes;
}

/** Closed routes in one statement a file. */
const ROUTES_A_READ = 50;

/** A difference that the import has not taken in yet. */
interface PendingChange {
  readonly change: Omit<HostChange, 'age' | 'waiting'>;
  /** When the poll first saw this state, and when it first saw any difference from the recorded one. */
  readonly seenAt: number;
  readonly since: number;
  readonly place: Pick<Mark, 'file' | 'place'>;
  /** The mark to save; undefined deletes the mark of this place. */
  readonly after: Mark | undefined;
}

/**
 * Replaces the doorbell on hosts that allow no triggers (HOST_CHANGES=polling). Each poll digests every open route, its
 * master data and some recently closed routes, and compares the digests with the recorded ones (`host_mark`). It
 * derives the rest as a doorbell would report it at that moment: the author from the audit tail, and a re-inserted row
 * from its creator and creation time.
 */
export class HostPolling implements HostChanges {
  readonly comparesAll = true;
  readonly #options: PollingOptions;
  readonly #rounds = new ClosedRounds();
  readonly #modes: CurrentModes;
  #waiting = new Map<string, PendingChange>();

  constructor(options: PollingOptions) {
    this.#options = options;
    this.#modes = options.modes ?? new CurrentModes(options.db);
  }

  async poll(): Promise<{ changes: HostChange[]; unparsable: string[] }> {
    const { db, host, clock, importFrom } = this.#options;
    const now = clock();
    const rows = (await db.query<Mark>(sql.loadMarks)).rows.filter((mark) => this.#isServed(mark));
    const recorded = new Map(rows.filter(isOfPlace).map((mark) => [nameOf(mark), mark]));
    const digests = new Map(rows.filter(isOfRoute).map((mark) => [mark.place, mark]));
    const found = await readMarks(host, importedWeeks(now, importFrom));
    const marks = found.marks.filter((mark) => this.#isServed(mark));
    const closedHere = [...found.closed].filter((place) => this.#isServed({ file: 'route', place }));
    const routes: RoutePlaces = { open: found.open, closed: new Set(closedHere) };
    const planned = new Set([...recorded.values()].filter(({ file }) => file === 'RTSTPP').map(routeOfPlace));
    // Closed since the last poll: what was written just before the close belongs to this poll.
    const justClosed = [...routes.closed].filter((route) => planned.has(route));
    const inTurn = this.#rounds.next(routes.closed, now.getTime());
    const due = new Set([...this.#unseenCloses(routes), ...justClosed, ...inTurn]);
    const closed: ClosedRouteMark[] = [];
    for (const part of inParts([...due], ROUTES_A_READ)) closed.push(...(await readClosedRoutes(host, part)));
    const changes = [
      ...marks.flatMap((mark) => differences(recorded.get(nameOf(mark)), mark, planned.has(routeOfPlace(mark)))),
      ...closed.flatMap((route) => closedRouteEdits(digests.get(route.mark.place), route)),
    ];
    for (const mark of marks) recorded.delete(nameOf(mark));
    const { deleted, outdated } = await this.#missingPlaces([...recorded.values()], routes.open);
    const history = [...digests.values()].filter(({ place }) => !routes.closed.has(place));
    await this.#deleteMarks([...outdated, ...history]);
    this.#recordSeen([...changes, ...deleted], now.getTime());
    return { changes: this.#changes(now.getTime()), unparsable: [] };
  }

  pollAgain(): Promise<HostChange[]> {
    return Promise.resolve(this.#changes(this.#options.clock().getTime()));
  }

  async acknowledge(sequences: readonly string[]): Promise<void> {
    const saved = new Map<string, Mark>();
    const dropped = new Map<string, PendingChange['place']>();
    for (const sequence of sequences) {
      const change = this.#waiting.get(sequence);
      if (!change) continue;
      this.#waiting.delete(sequence);
      const name = nameOf(change.place);
      // The same place twice: the later mark is the current one.
      saved.delete(name);
      dropped.delete(name);
      if (change.after) saved.set(name, change.after);
      else dropped.set(name, change.place);
    }
    const marks = [...saved.values()];
    if (marks.length > 0) await this.#options.db.query(sql.saveMarks, sql.saveMarks.parameters(marks));
    await this.#deleteMarks([...dropped.values()]);
  }

  /** Whether the route of a mark is of a facility that is not off. Master data belong to all. */
  #isServed({ file, place }: Pick<Mark, 'file' | 'place'>): boolean {
    const route = file === 'route' ? place : routeOfPlace({ file, place });
    return route === undefined || modeOf(this.#modes.current, route.split('\t')[0] ?? '') !== 'off';
  }

  /** Separates places that are gone from the host from routes that were only closed. */
  async #missingPlaces(
    places: readonly PlaceMark[],
    open: ReadonlySet<string>,
  ): Promise<{ deleted: Change[]; outdated: Mark[] }> {
    const deleted: Change[] = [];
    const outdated: Mark[] = [];
    for (const mark of places) {
      const route = routeOfPlace(mark);
      if (mark.file === 'RTHDRP') {
        // The polls leave out a route that is closed long after its week, but the import must still see the close.
        const isThere = await hasHeader(this.#options.host, mark.place);
        deleted.push(changeOf(isThere ? 'update' : 'delete', mark, undefined, ''));
      } else if (route === undefined || open.has(route)) deleted.push(changeOf('delete', mark, undefined, ''));
      else outdated.push(mark);
    }
    return { deleted, outdated };
  }

  /** Closed routes of an earlier poll that the import could not take in, because a worker had their lease. */
  #unseenCloses({ closed }: RoutePlaces): string[] {
    const places = [...this.#waiting.values()].map(({ place }) => place);
    return places.filter(({ file, place }) => file === 'route' && closed.has(place)).map(({ place }) => place);
  }

  /** A place that was seen before keeps its age; after another change, the age of its first difference. */
  #recordSeen(changes: readonly Change[], now: number): void {
    const first = new Map<string, number>();
    for (const { place, since } of this.#waiting.values())
      first.set(nameOf(place), Math.min(since, first.get(nameOf(place)) ?? since));
    this.#waiting = new Map(
      changes.map((change) => {
        const { sequence } = change.change;
        const seenAt = this.#waiting.get(sequence)?.seenAt ?? now;
        return [sequence, { ...change, seenAt, since: first.get(nameOf(change.place)) ?? seenAt }];
      }),
    );
  }

  async #deleteMarks(places: readonly PendingChange['place'][]): Promise<void> {
    if (places.length === 0) return;
    await this.#options.db.query(sql.deleteMarks, sql.deleteMarks.parameters(places));
  }

  #changes(now: number): HostChange[] {
    return [...this.#waiting.values()]
      .toSorted((one, other) => one.seenAt - other.seenAt)
      .map(({ change, seenAt, since }) => ({ ...change, age: now - seenAt, waiting: now - since }));
  }
}

type Change = Omit<PendingChange, 'seenAt' | 'since'>;

/** @param isPlanned the route's stops were seen before: a new stop was inserted into an existing route */
function differences(before: PlaceMark | undefined, mark: CurrentMark, isPlanned: boolean): Change[] {
  const after = markOnly(mark);
  if (before === undefined) return [changeOf(isPlanned ? 'insert' : 'update', undefined, after, mark.user)];
  if (before.born !== mark.born) {
    const inserted = changeOf('insert', before, after, mark.user);
    if (mark.file !== 'RTHDRP') return [inserted];
    // Reported in two steps: an import that has begun the route anew must not find the deletion again.
    return [changeOf('delete', before, { ...before, born: mark.born }, ''), inserted];
  }
  if (before.planned === mark.planned && before.recorded === mark.recorded) return [];
  const change = changeOf('update', before, after, mark.user);
  return [{ ...change, change: { ...change.change, isSettled: before.planned === mark.planned } }];
}

/** For a closed route only the change itself is known: the import compares each of its stops, with their authors. */
function closedRouteEdits(before: Mark | undefined, { mark, stops }: ClosedRouteMark): Change[] {
  if (before?.recorded === mark.recorded) return [];
  const file = 'RTSTUP';
  return stops.map((stop) => ({
    change: {
      sequence: nameOfChange([stop, before, mark]),
      file,
      operation: 'update',
      key: placeKey({ file, place: `${mark.place}\t${stop}` }),
      user: '',
      isSettled: true,
    },
    place: mark,
    after: mark,
  }));
}

function changeOf(
  operation: HostChange['operation'],
  before: PlaceMark | undefined,
  after: PlaceMark | undefined,
  user: string,
): Change {
  const place = after ?? before;
  if (!place) throw new TypeError('a change is one of something');
  const sequence = nameOfChange([operation, before, after]);
  return { change: { sequence, file: place.file, operation, key: placeKey(place), user }, place, after };
}

/** The same change has the same number on every node and after a restart. */
const nameOfChange = (change: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(change), 'base64url').slice(0, 22);

const isOfRoute = (mark: Mark): mark is RouteMark => mark.file === 'route';
const isOfPlace = (mark: Mark): mark is PlaceMark => !isOfRoute(mark);

function markOnly({ file, place, born, planned, recorded }: PlaceMark): PlaceMark {
  return { file, place, born, planned, recorded };
}

const nameOf = ({ file, place }: Pick<Mark, 'file' | 'place'>): string => `${file}\t${place}`;
