import type { Cursor, Scope, ServerFrameInput } from '@tailgate/sync-protocol';
import { parseScope } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import type { Log } from '../runtime/log.ts';
import type { RouteCommit } from '../mutations/change.ts';
import {
  contentOf,
  countAbove,
  epochName,
  newHead,
  sameReceipts,
  applyCommit,
  applyReading,
  withText,
  type Head,
  type Step,
} from './head.ts';
import { patchText } from './patch-text.ts';
import { timerFrame } from './timer-frame.ts';
import { readScopes, type ScopeRequest, type Reading } from './scope-readings.ts';

/** A connection that follows scopes. */
export interface Reader {
  readonly employee: string;
  readonly clientId: string;
  readonly follows: Map<Scope, Follower>;
  /** Sends a frame; returns false where the connection is congested. It calls `Feed.drained` afterwards. */
  deliver(frame: Buffer): boolean;
  /** Sends a short frame in any case. */
  send(frame: ServerFrameInput): void;
}

/**
 *   follow ──► due ──read──► current ──missed a frame──► due
 *               └── too far: `snapshot` frame ──► referred (gets no frame until it follows again with the fetched cursor)
 */
export interface Follower {
  readonly reader: Reader;
  readonly scope: Scope;
  state: 'due' | 'current' | 'referred';
  cursor: Cursor | null;
  /** Whether the reading in progress reaches back to its cursor. */
  isDue: boolean;
}

interface Watch {
  readonly scope: Scope;
  readonly followers: Set<Follower>;
  /** Undefined until the first reading. */
  head: Head | undefined;
  /** Commits during a reading wait for its end, because frames go out in version order. */
  pendingCommits: RouteCommit[] | undefined;
  /** The drivers of the route may have changed. */
  checkDrivers: boolean;
  committedAt: number;
}

export interface FeedOptions {
  readonly db: Queryable;
  readonly log: Log;
  readonly serverEpoch: number;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
}

/** Two statements at once: a slow first reading then does not delay a new hint. */
const READINGS_AT_ONCE = 2;
/** Bounds the rows of one result when a whole fleet reconnects after a restart. */
const SCOPES_A_READING = 200;
/** Above this number of missing documents the compressed snapshot is the smaller answer. */
const FAR_DOCUMENTS = 40;
/** A hint this soon after a commit of this node is most likely its echo. It may wait for others. */
const ECHO_MS = 50;
/** The wait after a failed reading: the database is away, or too busy to answer. */
const RETRY_MS = 500;

/**
 * Scopes and their followers. A commit of this node goes out from memory, as one text for all followers at the version
 * before it. The feed serves the others from the database, many scopes in one statement. Hints may be lost, so
 * `checkAll` compares the versions of all followed scopes.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #watches = new Map<Scope, Watch>();
  readonly #due = new Set<Watch>();
  readonly #later = new Set<Watch>();
  #laterTimer: NodeJS.Timeout | undefined;
  #scheduled = false;
  #reading = 0;
  #failing = false;
  readonly #closing = new AbortController();

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Follows from `cursor` on; null means from nothing. A second call replaces the first. */
  follow(reader: Reader, scope: Scope, cursor: Cursor | null): void {
    this.unfollow(reader, scope);
    if (!mayRequest(reader, scope)) return reader.send({ type: 'gone', scope, reason: 'NOT_ASSIGNED' });
    const watch = this.#watchOf(scope);
    const follower: Follower = { reader, scope, cursor, state: 'due', isDue: false };
    watch.followers.add(follower);
    reader.follows.set(scope, follower);
    // The head may be older than the driver's assignment: a reading decides.
    watch.checkDrivers ||= watch.head !== undefined && !mayRead(watch.head, follower);
    if (watch.head && !watch.pendingCommits && !watch.checkDrivers) this.#serve(watch, watch.head, follower, undefined);
    if (follower.state === 'due') this.#schedule(watch);
  }

  unfollow(reader: Reader, scope: Scope): void {
    const follower = reader.follows.get(scope);
    const watch = this.#watches.get(scope);
    if (!follower || !watch) return;
    reader.follows.delete(scope);
    watch.followers.delete(follower);
    if (watch.followers.size === 0) this.#forget(watch);
  }

  leave(reader: Reader): void {
    for (const scope of [...reader.follows.keys()]) this.unfollow(reader, scope);
  }

  /** The reader takes frames again. The feed reads the missed changes at its cursor, however many they are. */
  drained(reader: Reader): void {
    for (const { scope, state } of reader.follows.values()) {
      const watch = this.#watches.get(scope);
      if (watch && state === 'due') this.#schedule(watch);
    }
  }

  /** Commits of this node, in version order for each route. */
  committed(commits: readonly RouteCommit[]): void {
    for (const commit of commits) {
      const watch = this.#watches.get(commit.scope);
      if (!watch) continue;
      watch.committedAt = this.#options.now();
      if (watch.pendingCommits) watch.pendingCommits.push(commit);
      else this.#applyCommit(watch, commit);
    }
  }

  /** A notification's payload: scopes split by spaces, or `*`. */
  hint(payload: string): void {
    if (payload === '*') return this.checkAll();
    for (const scope of payload.split(' ')) {
      const watch = this.#watches.get(scope);
      if (!watch) continue;
      if (this.#options.now() - watch.committedAt < ECHO_MS) this.#scheduleLater(watch, ECHO_MS);
      else this.#schedule(watch);
    }
  }

  /** Compares the versions of everything that is followed. */
  checkAll(): void {
    for (const watch of this.#watches.values()) this.#schedule(watch);
  }

  /** The routes of these drivers have changed. A reader that lost a scope receives `gone`. */
  assignmentsChanged(readers: Iterable<Reader>): void {
    for (const reader of readers) {
      for (const scope of reader.follows.keys()) {
        const watch = this.#watches.get(scope);
        if (!watch?.head?.drivers) continue;
        watch.checkDrivers = true;
        this.#schedule(watch);
      }
    }
  }

  /** The drivers of a followed route; empty where no reader follows it. */
  driversOf(scope: Scope): ReadonlySet<string> {
    return this.#watches.get(scope)?.head?.drivers ?? new Set();
  }

  /** Aborted when the feed closes: a follower that is due then waits in vain. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#laterTimer);
  }

  #watchOf(scope: Scope): Watch {
    const known = this.#watches.get(scope);
    if (known) return known;
    const watch: Watch = {
      scope,
      followers: new Set(),
      head: undefined,
      pendingCommits: undefined,
      checkDrivers: false,
      committedAt: -Infinity,
    };
    this.#watches.set(scope, watch);
    return watch;
  }

  #forget(watch: Watch): void {
    if (this.#watches.get(watch.scope) === watch) this.#watches.delete(watch.scope);
    this.#due.delete(watch);
    this.#later.delete(watch);
  }

  #schedule(watch: Watch): void {
    this.#due.add(watch);
    if (this.#scheduled || this.closing.aborted) return;
    this.#scheduled = true;
    // At the end of this turn, so that a storm of hellos shares one statement.
    setImmediate(() => {
      this.#scheduled = false;
      this.#readDue();
    });
  }

  #scheduleLater(watch: Watch, ms: number): void {
    if (this.closing.aborted) return;
    this.#later.add(watch);
    this.#laterTimer ??= setTimeout(() => {
      this.#laterTimer = undefined;
      for (const each of this.#later) this.#schedule(each);
      this.#later.clear();
    }, ms);
  }

  #readDue(): void {
    while (this.#reading < READINGS_AT_ONCE && !this.closing.aborted) {
      const watches: Watch[] = [];
      for (const watch of this.#due) {
        if (watch.pendingCommits) continue; // its reading is in progress; it stays due
        this.#due.delete(watch);
        watches.push(watch);
        if (watches.length === SCOPES_A_READING) break;
      }
      if (watches.length === 0) return;
      this.#reading++;
      void this.#read(watches).finally(() => {
        this.#reading--;
        this.#readDue();
      });
    }
  }

  async #read(watches: readonly Watch[]): Promise<void> {
    const requests = watches.map((watch) => this.#requestOf(watch));
    try {
      const readings = await readScopes(this.#options.db, requests);
      if (this.#failing) this.#options.log.info({}, 'the feed reads again');
      this.#failing = false;
      for (const [i, watch] of watches.entries()) this.#applyReading(watch, readings[i]);
    } catch (err) {
      if (!this.#failing) this.#options.log.warn({ err }, 'the feed cannot read; it tries again');
      this.#failing = true;
      for (const watch of watches) {
        watch.pendingCommits = undefined; // the next reading has those commits, too
        this.#scheduleLater(watch, RETRY_MS);
      }
    }
  }

  #requestOf(watch: Watch): ScopeRequest {
    const { head, scope } = watch;
    const isRoute = parseScope(scope)?.kind === 'route';
    watch.pendingCommits = [];
    let above = head?.version ?? -1;
    let textsAbove = head?.version ?? Number.MAX_SAFE_INTEGER;
    for (const follower of watch.followers) {
      if (follower.state !== 'due') continue;
      follower.isDue = true;
      const from = this.#readFrom(follower, head, isRoute);
      above = Math.min(above, from);
      textsAbove = Math.min(textsAbove, from);
    }
    const headerAbove = watch.checkDrivers ? -1 : above;
    watch.checkDrivers = false;
    return { scope, above, headerAbove, textsAbove };
  }

  /** The version from which a follower needs a reading; none where it will get a snapshot. */
  #readFrom({ cursor }: Follower, head: Head | undefined, isRoute: boolean): number {
    if (!isRoute) return -1; // short, and the whole of it if need be
    const fits =
      cursor &&
      (!head || (cursor.epoch === this.#epochName(head) && countAbove(head, cursor.version) <= FAR_DOCUMENTS));
    return fits ? cursor.version : Number.MAX_SAFE_INTEGER;
  }

  #applyReading(watch: Watch, reading: Reading | undefined): void {
    const pendingCommits = watch.pendingCommits ?? [];
    watch.pendingCommits = undefined;
    if (this.#watches.get(watch.scope) !== watch) return;
    if (!reading) return this.#endAll(watch);
    const before = watch.head;
    if (before && (before.epoch !== reading.epoch || before.version > reading.version)) {
      // The host loaded the route anew, or the database was restored (I9): the known state is void.
      watch.head = undefined;
      for (const follower of watch.followers) if (follower.state === 'current') follower.state = 'due';
      return this.#schedule(watch);
    }
    const step = before
      ? applyReading(before, reading)
      : { head: newHead(watch.scope, reading), documents: [], deletes: [] };
    watch.head = step.head;
    if (before) this.#sendToFollowers(watch, before, step, reading.whole);
    for (const follower of watch.followers) {
      if (follower.state !== 'due') continue;
      if (follower.isDue) this.#serve(watch, step.head, follower, reading);
      else this.#schedule(watch);
    }
    for (const commit of pendingCommits) this.#applyCommit(watch, commit);
  }

  #applyCommit(watch: Watch, commit: RouteCommit): void {
    const before = watch.head;
    if (!before) return this.#schedule(watch);
    const step = applyCommit(before, commit);
    if (step === 'old') return;
    if (step === 'gap') return this.#schedule(watch);
    watch.head = step.head;
    this.#sendToFollowers(watch, before, step, false);
  }

  /** Sends one text to all followers at the version of the old head. */
  #sendToFollowers(watch: Watch, before: Head, { head, documents, deletes }: Step, whole: boolean): void {
    for (const follower of watch.followers)
      if ((follower.state !== 'due' || follower.isDue) && !mayRead(head, follower)) this.#end(watch, follower);
    const moved = head.version > before.version;
    if (!moved && sameReceipts(head, before)) return;
    const from = moved && whole ? null : before.version;
    const timers = timerFrame(head.scope, documents);
    let frame: Buffer | undefined;
    for (const follower of watch.followers) {
      if (follower.state !== 'current') continue;
      frame ??= this.#frame(head, from, documents, deletes);
      this.#deliverFrame(head, follower, frame, timers);
    }
  }

  /** Brings one follower from its cursor to the head: by the reading, by an empty patch, or by a snapshot. */
  #serve(watch: Watch, head: Head, follower: Follower, reading: Reading | undefined): void {
    const { cursor, reader, scope } = follower;
    if (!mayRead(head, follower)) return this.#end(watch, follower);
    const known = cursor !== null && cursor.epoch === this.#epochName(head);
    if (known && cursor.version === head.version)
      return this.#deliverFrame(head, follower, this.#frame(head, head.version, [], []));
    if (head.drivers !== null) {
      const ahead = known && cursor.version > head.version;
      // The cursor is ahead: another node may have newer versions, until a reading shows otherwise.
      if (ahead && !reading) return;
      if (!known || ahead || countAbove(head, cursor.version) > FAR_DOCUMENTS) {
        follower.state = 'referred';
        return reader.send({ type: 'snapshot', scope, epoch: this.#epochName(head), version: head.version });
      }
    }
    if (!reading) return;
    const from = known && !reading.whole && cursor.version < head.version ? cursor.version : null;
    const above = from ?? -1;
    const documents = reading.documents.filter(({ version }) => version > above);
    const deletes = reading.deletes.filter(({ version }) => version > above).map(({ key }) => key);
    const frame = this.#frame(head, from, documents, from === null ? [] : deletes);
    this.#deliverFrame(head, follower, frame, timerFrame(scope, documents));
  }

  #frame(head: Head, from: number | null, documents: Reading['documents'], deletes: readonly string[]): Buffer {
    return Buffer.from(patchText(contentOf(head, this.#epochName(head), withText(documents), deletes), from));
  }

  #deliverFrame(head: Head, follower: Follower, frame: Buffer, timers?: ServerFrameInput): void {
    follower.isDue = false;
    if (follower.reader.deliver(frame)) {
      if (timers) follower.reader.send(timers);
      follower.state = 'current';
      follower.cursor = { epoch: this.#epochName(head), version: head.version };
    } else follower.state = 'due';
  }

  #end(watch: Watch, { reader, scope }: Follower): void {
    reader.send({ type: 'gone', scope, reason: 'NOT_ASSIGNED' });
    this.unfollow(reader, watch.scope);
  }

  #endAll(watch: Watch): void {
    for (const follower of watch.followers) this.#end(watch, follower);
  }

  #epochName(head: Head): string {
    return epochName(this.#options.serverEpoch, head);
  }
}

/** The right to a scope by its name alone. The drivers of a route are known after its first reading. */
function mayRequest(reader: Reader, scope: Scope): boolean {
  const parsed = parseScope(scope);
  return parsed !== undefined && (parsed.kind !== 'client' || parsed.clientId === reader.clientId);
}

const mayRead = (head: Head, { reader }: Follower): boolean =>
  head.drivers === null || head.drivers.has(reader.employee);
