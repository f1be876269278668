import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { parseScope } from '@tailgate/sync-protocol';
import type { Listener } from '../../db/listen.ts';
import { routesChannel } from '../../db/notify-sql.ts';
import type { Queryable } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import { settledAt } from '../flags/settled.ts';
import { listSubjects, type FeedLine, type ListSubject } from './contract.ts';
import * as sql from './feed-sql.ts';

export interface OpsFeedOptions {
  readonly db: Queryable;
  readonly listener: Pick<Listener, 'onNotify' | 'onReconnect'>;
  readonly clock: () => Date;
  readonly log: Log;
  /** The period of all checks; a test shortens it. */
  readonly tickMs?: number;
  /** Streams of this node at once. */
  readonly mostStreams?: number;
}

/** A follower's right to read, asked again while the stream is open. */
export type StillAllowed = () => Promise<boolean>;

type Marks = Readonly<Record<ListSubject, string>>;

const TICK_MS = 500;
/** In ticks. */
const MARKS_EVERY = 2;
const BEAT_EVERY = 30;
const RIGHTS_EVERY = 10;
/** A page that loses its connection comes back within this time; until then the feed goes on. */
const LINGER_TICKS = 120;

const MOST_STREAMS = 100;
/** Lines for streams that come back. */
const MOST_KEPT = 2_000;
/** More changed routes in one tick are one line: the page reads its list again. */
const MOST_ROUTES = 200;
/** Bytes that a reader may leave unread; a slower one is cut and comes back. */
const MOST_UNREAD = 256 * 1024;

interface Stream {
  readonly body: Readable;
  readonly allowed: StillAllowed;
}

/**
 * What changed, for pages of the office. Routes come from the notifications that every node receives; the other lists
 * from marks that the database computes once a second, whichever node or program changed them. It does nothing while no
 * page follows.
 *
 *   idle ──first stream: marks are read──► following ──no stream for a minute──► idle (kept lines are dropped)
 */
export class OpsFeed {
  readonly #options: OpsFeedOptions;
  readonly #name = randomBytes(6).toString('hex');
  readonly #streams = new Set<Stream>();
  #kept: { readonly n: number; readonly text: string }[] = [];
  #n = 0;
  /** The first line that a stream can go on from. */
  #first = 0;
  #routes = new Set<string>();
  #overflow = false;
  #marks: Marks | undefined;
  #beginning: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #idleSince = 0;
  #working: Promise<void> = Promise.resolve();
  #isBusy = false;
  #closed = false;

  constructor(options: OpsFeedOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { listener } = this.#options;
    await listener.onNotify(routesChannel, (payload) => this.#noted(payload));
    listener.onReconnect(() => this.#reload());
  }

  get isFull(): boolean {
    return this.#streams.size >= (this.#options.mostStreams ?? MOST_STREAMS);
  }

  /** The lines from now on, or behind `after`. The marks are read first, so that no change falls between. */
  async open(after: string | undefined, allowed: StillAllowed): Promise<Readable> {
    const body = new Readable({ read: () => undefined });
    if (this.#closed) return (body.push(null), body);
    await this.#begin();
    const stream = { body, allowed };
    this.#streams.add(stream);
    body.once('close', () => this.#left(stream));
    const beat_seconds = Math.ceil((BEAT_EVERY * (this.#options.tickMs ?? TICK_MS)) / 1_000);
    this.#send(stream, this.#textOf({ type: 'hello', beat_seconds }));
    if (after !== undefined) this.#resume(stream, after);
    return body;
  }

  /** Ends all streams. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTicking();
    for (const stream of this.#streams) this.#end(stream, 'stopping');
    await this.#working;
  }

  /** Every stream waits for the marks, also one that opens while another one reads them. */
  async #begin(): Promise<void> {
    this.#beginning ??= this.#follow().finally(() => (this.#beginning = undefined));
    await this.#beginning;
  }

  async #follow(): Promise<void> {
    if (this.#timer !== undefined && this.#marks !== undefined) return;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), this.#options.tickMs ?? TICK_MS);
    this.#first = this.#n;
    this.#idleSince = this.#ticks;
    this.#marks = await this.#readMarks();
  }

  #stopTicking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#kept = [];
    this.#routes.clear();
    this.#marks = undefined;
  }

  #left(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size === 0) this.#idleSince = this.#ticks;
  }

  #resume(stream: Stream, after: string): void {
    const [name, n] = after.split('-');
    const from = Number(n);
    if (name !== this.#name || !(from >= this.#first && from <= this.#n))
      return this.#send(stream, this.#textOf({ type: 'reload' }));
    for (const { n: place, text } of this.#kept) if (place > from) this.#send(stream, text);
  }

  #noted(payload: string): void {
    if (this.#timer === undefined) return;
    for (const scope of payload.split(' ')) {
      if (scope === '*' || this.#routes.size >= MOST_ROUTES) this.#overflow = true;
      else this.#routes.add(scope);
    }
  }

  #reload(): void {
    this.#overflow = true;
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#streams.size === 0 && this.#ticks - this.#idleSince > LINGER_TICKS) return this.#stopTicking();
    this.#publishRoutes();
    if (this.#ticks % BEAT_EVERY === 0) this.#publish({ type: 'beat' });
    if (this.#isBusy) return; // the database is slow: this tick's reading is the one in progress
    this.#isBusy = true;
    this.#working = this.#read()
      .catch((err: unknown) => this.#options.log.warn({ err }, 'the feed of the office could not be read'))
      .finally(() => (this.#isBusy = false));
  }

  async #read(): Promise<void> {
    if (this.#ticks % MARKS_EVERY === 0) await this.#compareMarks();
    if (this.#ticks % RIGHTS_EVERY === 0) await this.#checkRights();
  }

  #publishRoutes(): void {
    if (this.#overflow) this.#publish({ type: 'reload' });
    else for (const scope of this.#routes) this.#publishScope(scope);
    this.#overflow = false;
    this.#routes.clear();
  }

  #publishScope(text: string): void {
    const scope = parseScope(text);
    if (scope?.kind !== 'route') return;
    const { facility, id: route_id, week_end } = scope.key;
    this.#publish({ type: 'changed', subject: 'route', facility, route_id, week_end });
  }

  async #compareMarks(): Promise<void> {
    const before = this.#marks;
    const now = await this.#readMarks();
    if (this.#timer === undefined) return;
    this.#marks = now;
    for (const subject of listSubjects)
      if (before && before[subject] !== now[subject]) this.#publish({ type: 'changed', subject });
  }

  async #readMarks(): Promise<Marks> {
    const { db, clock } = this.#options;
    const { rows } = await db.query<Marks & Record<string, string>>(sql.readMarks, [settledAt(clock())]);
    const [marks] = rows;
    if (!marks) throw new Error('the marks of the office’s lists are missing');
    return marks;
  }

  async #checkRights(): Promise<void> {
    for (const stream of [...this.#streams]) if (!(await stream.allowed())) this.#end(stream, 'session');
  }

  #publish(line: FeedLine): void {
    this.#n += 1;
    const text = this.#textOf(line);
    this.#kept.push({ n: this.#n, text });
    if (this.#kept.length > MOST_KEPT) {
      this.#kept = this.#kept.slice(-MOST_KEPT / 2);
      this.#first = (this.#kept[0]?.n ?? this.#n) - 1;
    }
    for (const stream of this.#streams) this.#send(stream, text);
  }

  /** The text of a line at the present place. */
  #textOf(line: FeedLine): string {
    return `${JSON.stringify({ ...line, cursor: `${this.#name}-${this.#n}` })}\n`;
  }

  #send({ body }: Stream, text: string): void {
    if (body.destroyed || body.readableEnded) return;
    body.push(text);
    if (body.readableLength > MOST_UNREAD) body.destroy();
  }

  #end(stream: Stream, reason: 'session' | 'stopping'): void {
    this.#streams.delete(stream);
    this.#send(stream, this.#textOf({ type: 'end', reason }));
    stream.body.push(null);
  }
}
