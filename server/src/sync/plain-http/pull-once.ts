import type { Cursor, Scope, ServerFrameInput } from '@tailgate/sync-protocol';
import type { Feed, Follower, Reader } from '../feed.ts';

/** A reading takes milliseconds. After this time the database is away and the feed keeps retrying. */
const MAX_WAIT_MS = 5_000;

export interface PullRequest {
  readonly employee: string;
  readonly clientId: string;
  readonly cursors: Readonly<Record<Scope, Cursor | null>>;
  /** The caller's right to a scope; the feed checks the rest. */
  readonly mayRead: (scope: Scope) => boolean;
}

/**
 * The first frames of a connection with these cursors: one text for each scope. Undefined where the database does not
 * answer, or the server stops.
 */
export function pullOnce(feed: Feed, request: PullRequest): Promise<readonly string[] | undefined> {
  return new Promise((resolve) => {
    const reader = new PullReader(request, (answered) => {
      clearTimeout(timer);
      feed.closing.removeEventListener('abort', giveUp);
      feed.leave(reader);
      resolve(answered ? reader.frames : undefined);
    });
    const giveUp = (): void => reader.giveUp();
    const timer = setTimeout(giveUp, MAX_WAIT_MS);
    if (feed.closing.aborted) return giveUp();
    feed.closing.addEventListener('abort', giveUp);
    for (const [scope, cursor] of Object.entries(request.cursors)) {
      if (request.mayRead(scope)) feed.follow(reader, scope, cursor);
      else reader.send({ type: 'gone', scope, reason: 'INVALID_TOKEN' });
    }
    reader.allRequested();
  });
}

/** Follows scopes until each has an answer. */
class PullReader implements Reader {
  readonly employee: string;
  readonly clientId: string;
  readonly follows = new Map<Scope, Follower>();
  readonly frames: string[] = [];
  #end: ((answered: boolean) => void) | undefined;
  #areAllRequested = false;

  constructor({ employee, clientId }: PullRequest, end: (answered: boolean) => void) {
    this.employee = employee;
    this.clientId = clientId;
    this.#end = end;
  }

  deliver(frame: Buffer): boolean {
    this.frames.push(frame.toString());
    this.#checkLater();
    return true;
  }

  send(frame: ServerFrameInput): void {
    // The patch before it has the header with these deadlines.
    if (frame.type === 'timer') return;
    this.frames.push(JSON.stringify(frame));
    this.#checkLater();
  }

  /** All scopes are requested. */
  allRequested(): void {
    this.#areAllRequested = true;
    this.#checkLater();
  }

  giveUp(): void {
    this.#finish(false);
  }

  /** In a microtask: the feed updates a follower's state after it has passed the frame. */
  #checkLater(): void {
    queueMicrotask(() => {
      const isDue = [...this.follows.values()].some(({ state }) => state === 'due');
      if (this.#areAllRequested && !isDue) this.#finish(true);
    });
  }

  #finish(answered: boolean): void {
    const end = this.#end;
    this.#end = undefined;
    end?.(answered);
  }
}
