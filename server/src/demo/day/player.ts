import { setTimeout as delay } from 'node:timers/promises';
import type { RouteKey } from '@tailgate/sync-protocol';
import { recordAct } from '../../acts/sql.ts';
import type { AuthDeps } from '../../auth/deps.ts';
import type { ResumableDeps } from '../../assets/resumable.ts';
import type { Db } from '../../db/types.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Host } from '../../host/host.ts';
import { readRouteRows } from '../../host/reads/reads.ts';
import { dispatchRoute, writeMasters } from '../../host/tools/dispatch.ts';
import type { RouteFile } from '../../host/tools/load-file.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { beginHold, listHolds, type Hold } from '../../replication/control/hold.ts';
import { readBacklog } from '../../replication/to-host/backlog.ts';
import type { Log } from '../../runtime/log.ts';
import { DeviceStatus } from '../../sync/device-status.ts';
import { changeOf, type NamedFiles } from './changes.ts';
import { depotMasters, employees, type AddedShop, keyOf, momentAt, routeFile, zoneAt } from './depot.ts';
import { DemoPhone } from './phone.ts';
import { photo, signature } from './pictures.ts';
import type { PlayedClock } from './played-clock.ts';
import { behindTheHold, chapters, hold, reports, type Chapter, type Event, type RouteScript } from './script.ts';
import { correctColumn, limitCounts, overdueFiles, untriedMails } from './sql.ts';

export interface PlayerDeps {
  readonly db: Db;
  readonly log: Log;
  /** The clock of the pipeline, of the uploads and of the host side. */
  readonly clock: PlayedClock;
  readonly pipeline: Pipeline;
  readonly uploads: ResumableDeps;
  readonly auth: AuthDeps;
  /** Imports what the back office has written; false where something is left. */
  readonly importNow: () => Promise<boolean>;
  /** Appends the committed facts to their logs. */
  readonly appendToLog: () => Promise<void>;
  /** The hold that the worker obeys. */
  readonly holdInForce: () => Hold | undefined;
  /** The stand-in host, as another program and user. */
  readonly openDesk: (program: string, user: string) => Promise<Host>;
  /** Mails go to a mail server, and not into the folder. */
  readonly hasMailServer: boolean;
  readonly password: string;
  readonly start: Date;
  readonly stopping: AbortSignal;
}

const POLL_MS = 50;
/** The log names a wait that is longer: each takes seconds at most where the server and the host work. */
const LONG_WAIT_MS = 30_000;

/**
 * Plays the script: the back office dispatches, phones record and upload, clerks correct. Every change takes the way that
 * it takes in production. A repetition from the same start changes nothing, since all ids and times follow from the start.
 */
export class DayPlayer {
  readonly #deps: PlayerDeps;
  readonly #zone: string;
  readonly #routes = new Map<string, { readonly script: RouteScript; readonly key: RouteKey }>();
  readonly #phones = new Map<string, DemoPhone>();

  constructor(deps: PlayerDeps) {
    this.#deps = deps;
    this.#zone = zoneAt(deps.start);
    for (const script of chapters.flatMap(({ routes }) => routes))
      this.#routes.set(script.id, { script, key: keyOf(script, deps.start, this.#zone) });
  }

  async play(): Promise<void> {
    const office = await this.#deps.openDesk('DISPATCH', 'DEMODAY');
    try {
      await this.#open(office);
      for (const chapter of chapters) {
        await this.#playChapter(office, chapter);
        await this.#correct(chapter);
      }
      await this.#missed();
      await this.#hold();
      await this.#playEvents(behindTheHold.events);
      await this.#report();
      await this.#deps.appendToLog();
    } finally {
      await office.close();
    }
  }

  /** The facility, its people and the rule of its shop. */
  async #open(office: Host): Promise<void> {
    const first = chapters[0]?.dispatched ?? 0;
    this.#turnTo(first);
    await office.transaction(async (tx) => {
      for (const statement of limitCounts) await tx.execute(statement);
    });
    await writeMasters(office, { user: 'DEMODAY', now: this.#deps.clock.now() }, depotMasters(this.#zone));
    await this.#imported();
  }

  async #playChapter(office: Host, { dispatched, routes, events, additions = [] }: Chapter): Promise<void> {
    this.#turnTo(dispatched);
    for (const script of routes) await this.#dispatch(office, script, dispatched);
    await this.#imported();
    for (const { id, device, app } of employees) await this.#openPhone(id, device, app);
    const rounds = additions.map(({ at }) => at);
    let from = Number.NEGATIVE_INFINITY;
    for (const until of [...rounds, Number.POSITIVE_INFINITY]) {
      await this.#playEvents(events.filter((event) => timeOf(event) >= from && timeOf(event) < until));
      from = until;
      for (const { route, stop, shop, at } of additions.filter((addition) => addition.at === until)) {
        this.#turnTo(at);
        await this.#dispatch(office, this.#routeOf(route).script, at, [{ stop, shop }]);
        await this.#imported();
      }
    }
  }

  async #dispatch(office: Host, script: RouteScript, at: number, added: AddedShop[] = []): Promise<void> {
    const { start } = this.#deps;
    const file = routeFile(script, { start, zone: this.#zone, added });
    // An interrupted day has dispatched it already, perhaps with more stops.
    if (await hasStops(office, file)) return;
    await dispatchRoute(office, file, { user: 'DEMODAY', now: momentAt(start, at) });
  }

  async #openPhone(employee: string, device: string, app: string): Promise<void> {
    if (this.#phones.has(employee)) return;
    const { auth, pipeline, uploads, clock, password, start } = this.#deps;
    const deps = { auth, pipeline, uploads, now: clock.now };
    this.#phones.set(employee, await DemoPhone.open(deps, { employee, password, device, app, start }));
  }

  async #playEvents(events: readonly Event[]): Promise<void> {
    const { start, stopping } = this.#deps;
    for (const event of events.toSorted((a, b) => timeOf(a) - timeOf(b))) {
      stopping.throwIfAborted();
      const { script, key } = this.#routeOf(event.route);
      const phone = this.#phoneOf(event.driver ?? script.drivers[0]);
      const at = momentAt(start, event.at);
      const pictures = picturesOf(event);
      const shop = 'stop' in event ? script.shops[event.stop - 1] : undefined;
      const { name, args } = changeOf(event, { route: key, at, shop, files: idsOf(pictures, phone) });
      phone.record(name, args, at);
      this.#turnTo(timeOf(event));
      await phone.send();
      for (const { fileName, bytes, lost } of pictures) if (!lost) await phone.upload(fileName, bytes);
      // So the host and the log have it, and the mail goes out, at the time of the event.
      await this.#settled();
      await this.#mailed();
      await this.#deps.appendToLog();
    }
  }

  /** Resolves when the server has given up the files that never left a phone. */
  async #missed(): Promise<void> {
    const { db, clock } = this.#deps;
    this.#turnTo(hold.at);
    const isOver = async () => (await db.query(overdueFiles, [clock.now()])).rows.length === 0;
    await this.#until('the server gives up files that never came', isOver);
    await this.#settled();
  }

  /** Clerks correct values on the host, and the import brings them back. */
  async #correct({ edits = [] }: Chapter): Promise<void> {
    for (const { route, stop, by, column, value } of edits) {
      const { facility, id, week_end } = this.#routeOf(route).key;
      const desk = await this.#deps.openDesk('GREENSCRN', by);
      try {
        await desk.transaction((tx) => tx.execute(correctColumn[column], [value, facility, id, week_end, `${stop}`]));
      } finally {
        await desk.close();
      }
    }
    if (edits.length === 0) return;
    await this.#imported();
    await this.#settled();
  }

  /** A clerk puts replication on hold and forgets it. Resolves when the worker obeys. */
  async #hold(): Promise<void> {
    const { db, start, holdInForce } = this.#deps;
    const { by, reason } = hold;
    const from = momentAt(start, hold.at);
    this.#turnTo(hold.at);
    await withTransaction(db, async (tx) => {
      const known = (await listHolds(tx)).some((one) => one.from.getTime() === from.getTime() && one.by === by);
      const begun = known ? undefined : await beginHold(tx, { from, until: undefined, reason, by });
      if (!begun) return;
      const subject = { kind: 'hold', id: begun.id } as const;
      const after = { from: from.toISOString(), until: null, in_force: true };
      await recordAct(tx, { by, act: 'beginHold', subject, reason, before: null, after });
    });
    await this.#until('the worker obeys the hold', async () => holdInForce() !== undefined);
  }

  /** The phones' last reports, as `ping` brings them. */
  async #report(): Promise<void> {
    const { db, log, start } = this.#deps;
    const status = new DeviceStatus(db, log);
    const instant = (minutes: number) => momentAt(start, minutes).toISOString();
    for (const { employee, heard, pending = 0, oldest, files } of reports) {
      const oldest_pending_at = oldest === undefined ? null : instant(oldest);
      const waiting = files && { count: files.count, bytes: files.bytes, oldest_at: instant(files.oldest) };
      const report = { pending, oldest_pending_at, files: waiting, seenAt: momentAt(start, heard) };
      status.note(this.#phoneOf(employee).clientId, report);
    }
    await status.save();
  }

  async #imported(): Promise<void> {
    await this.#until('the import has read the host', this.#deps.importNow);
  }

  /** Resolves when the host has all changes and files, or refuses them. Nothing settles under a hold. */
  async #settled(): Promise<void> {
    const { db, holdInForce } = this.#deps;
    await this.#until('the host has all changes and files', async () => {
      if (holdInForce() !== undefined) return true;
      const { routes, rows } = await readBacklog(db);
      return routes + rows === 0;
    });
  }

  /** Resolves when the mails are in the folder. A mail server may be slow, and the day does not wait for it. */
  async #mailed(): Promise<void> {
    const { db, hasMailServer } = this.#deps;
    if (hasMailServer) return;
    await this.#until('the mails are out', async () => (await db.query(untriedMails)).rows.length === 0);
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const { db, log, stopping } = this.#deps;
    const begun = performance.now();
    for (let isNamed = false; !(await isSo());) {
      await delay(POLL_MS, undefined, { signal: stopping });
      if (isNamed || performance.now() - begun < LONG_WAIT_MS) continue;
      isNamed = true;
      log.warn({ until: what, backlog: await readBacklog(db) }, 'the demo day waits');
    }
  }

  #turnTo(minutes: number): void {
    const { clock, start } = this.#deps;
    clock.turnTo(momentAt(start, minutes));
  }

  #routeOf(id: string) {
    const route = this.#routes.get(id);
    if (!route) throw new RangeError(`the demo day has no route ${id}`);
    return route;
  }

  #phoneOf(employee: string): DemoPhone {
    const phone = this.#phones.get(employee);
    if (!phone) throw new RangeError(`the demo day has no driver ${employee}`);
    return phone;
  }
}

async function hasStops(office: Host, { facility, id, week_end, stops }: RouteFile): Promise<boolean> {
  const rows = await readRouteRows(office, { facility, id, week_end });
  const known = new Set(rows.stops.map(({ RSSTP }) => Number(RSSTP)));
  return stops.every((stop) => known.has(stop.id));
}

const timeOf = ({ at, sent = at }: Event): number => sent;

interface Picture {
  readonly use: keyof NamedFiles;
  readonly fileName: string;
  readonly bytes: Buffer;
  /** It never leaves the phone. */
  readonly lost: boolean;
}

function picturesOf(event: Event): Picture[] {
  if (event.kind !== 'delivers') return [];
  const { route, stop, signed, photo: taken } = event;
  const seed = Number(route.slice(1)) * 1_000 + stop;
  const goods = taken === undefined ? undefined : photo(taken === 'lost' ? 2 : taken, seed);
  return [
    { use: 'signature', fileName: `signature-${route}-${stop}.png`, bytes: signature(signed, seed), lost: false },
    ...(goods
      ? [{ use: 'photo', fileName: `goods-${route}-${stop}.png`, bytes: goods, lost: taken === 'lost' } as const]
      : []),
  ];
}

const idsOf = (pictures: readonly Picture[], phone: DemoPhone): NamedFiles =>
  Object.fromEntries(pictures.map(({ use, bytes }) => [use, phone.idOfFile(bytes)]));
