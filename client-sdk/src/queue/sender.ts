import type { AckFrame, ClientFrameInput, Limits } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import type { Timing } from '../connection/machine.ts';
import { backoffMs } from '../connection/machine.ts';
import { bytesOf } from './item.ts';
import type { Queue } from './queue.ts';

export interface SenderDeps {
  readonly environment: Environment;
  readonly timing: Timing;
  /** The connection over which the queue drains. */
  readonly connection: { send(frame: ClientFrameInput): void; handle(event: { is: 'renewed' }): void };
  /** Of the queue: it outlives a connection. */
  readonly pace: Pace;
}

/**
 * The size of a push in bytes. Both sides treat a connection as broken after some 15 s without a whole frame, so a push
 * has to fit a slow uplink. A quick answer permits twice the size of its push: smaller ones prove nothing about a large
 * one. The next connection may have a slower link: it starts with the first size, or less after one that ended before an
 * answer.
 */
export interface Pace {
  bytes: number;
}

/** Passes in a second where phones have one bar. */
export const firstPushBytes = 16_384;
const minPushBytes = 2_048;
/** An answer within this time is quick: three pushes may be on the way. */
const quickMs = 3_000;

/** The time limit of a push. A batch waits for locks and disks at the server, so it is longer than that of a ping. */
const answerMs = 30_000;

/** Pushes one queue's items over one connection, in order, within the server's limits. */
export class Sender {
  readonly #queue: Queue;
  readonly #limits: Limits;
  readonly #deps: SenderDeps;
  #next = 0;
  #generation = 0;
  /** Each push in progress: `generation` distinguishes those from before a restart, `at` is its time (monotonic). */
  #flights: { readonly generation: number; readonly at: number; readonly bytes: number }[] = [];
  #failures = 0;
  #ended = false;
  #pumping = false;
  #asked = false;
  #paused = false;
  #stopTimer: () => void = () => {};

  /** @param limits of the `welcome` */
  constructor(queue: Queue, limits: Limits, deps: SenderDeps) {
    this.#queue = queue;
    this.#limits = limits;
    this.#deps = deps;
  }

  /** The connection has ended; the next one sends the unanswered items again. */
  end(): void {
    const { pace } = this.#deps;
    pace.bytes = Math.min(pace.bytes, firstPushBytes);
    if (this.#flights.length > 0) pace.bytes = Math.max(pace.bytes / 2, minPushBytes);
    this.#ended = true;
    this.#stopTimer();
  }

  /** Sends waiting items. Call it after each recorded change; it is cheap where nothing can be sent. */
  async pump(): Promise<void> {
    // A call during a run repeats the run: the loop may have passed the new item already.
    this.#asked = true;
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#asked) {
        this.#asked = false;
        while (this.#mayPush()) if (!(await this.#pushNext())) break;
      }
    } finally {
      this.#pumping = false;
    }
  }

  #mayPush(): boolean {
    // A server at its limit stops reading and answers no ping: stay one push below.
    const max = Math.max(1, this.#limits.pushes_in_flight - 1);
    return !this.#ended && !this.#paused && this.#flights.length < max;
  }

  async #pushNext(): Promise<boolean> {
    const generation = this.#generation;
    const { mutations_per_push, frame_bytes } = this.#limits;
    const { pace, connection, environment } = this.#deps;
    const room = Math.min(frame_bytes - frameOverhead, pace.bytes);
    const batch = await this.#queue.takeBatch(this.#next, mutations_per_push, room);
    // Sealing took a moment: the connection may have ended, or the sender may have restarted from another item.
    if (!this.#mayPush()) return false;
    if (generation !== this.#generation) return true;
    const last = batch.at(-1);
    if (!last) return false;
    this.#next = last.mutation.seq + 1;
    const mutations = batch.map((item) => item.mutation);
    this.#flights.push({ generation, at: environment.clock.monotonic(), bytes: bytesOf(mutations) });
    if (this.#flights.length === 1) this.#expectAnswer();
    connection.send({ type: 'push', mutations });
    return true;
  }

  /** An answer to the oldest push in progress. The outbox handles its results; after a fork this sender has ended. */
  acknowledged(ack: AckFrame): void {
    // An answer to another frame, such as a declared loss.
    if (ack.results.length === 0 && ack.wants === undefined) return;
    const { pace, environment } = this.#deps;
    const flight = this.#flights.shift();
    if (flight && environment.clock.monotonic() - flight.at < quickMs)
      pace.bytes = Math.min(Math.max(pace.bytes, flight.bytes * 2), this.#limits.frame_bytes);
    this.#expectAnswer();
    this.#failures = 0;
    // The server answers each push after a gap with it: restart once.
    if (ack.wants !== undefined && flight?.generation === this.#generation) this.#restart(ack.wants);
  }

  /** An error frame: sends the same items again with growing back-off. No item is dropped. */
  failed(): void {
    const flight = this.#flights.shift();
    this.#expectAnswer();
    if (flight?.generation !== this.#generation) return;
    this.#restart(0);
    this.#paused = true;
    const { timing, environment } = this.#deps;
    const ms = backoffMs(this.#failures++, timing, environment.random.fraction());
    this.#stopTimer();
    this.#stopTimer = environment.clock.after(ms, () => {
      this.#paused = false;
      this.#expectAnswer();
      void this.pump();
    });
  }

  #restart(from: number): void {
    this.#next = from;
    this.#generation++;
  }

  #expectAnswer(): void {
    if (this.#paused) return;
    this.#stopTimer();
    if (this.#flights.length === 0) return;
    // The server answers pings but not the push: another connection may do better.
    const { environment, connection } = this.#deps;
    this.#stopTimer = environment.clock.after(answerMs, () => connection.handle({ is: 'renewed' }));
  }
}

/** `{"mutations":[…],"type":"push"}` and the commas. */
const frameOverhead = 1_024;
