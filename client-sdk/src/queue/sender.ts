import type { AckFrame, ClientFrameInput, Limits } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import type { Timing } from '../connection/machine.ts';
import { backoffMs } from '../connection/machine.ts';
import type { Queue } from './queue.ts';

export interface SenderDeps {
  readonly environment: Environment;
  readonly timing: Timing;
  /** Over which the queue drains. */
  readonly line: { send(frame: ClientFrameInput): void; tell(event: { is: 'renewed' }): void };
}

/** How long a push may take; a batch waits for locks and disks at the server, so this is no ping. */
const answerMs = 30_000;

/** Hands one queue's items to the server over one connection, in order, as many at a time as the server allows. */
export class Sender {
  readonly #queue: Queue;
  readonly #limits: Limits;
  readonly #deps: SenderDeps;
  #next = 0;
  #generation = 0;
  /** The generation of each push under way: tells those apart that were sent before we began again from earlier. */
  #flights: number[] = [];
  #failures = 0;
  #ended = false;
  #pumping = false;
  #asked = false;
  #paused = false;
  #stopTimer: () => void = () => {};

  /** @param limits as `welcome` told them */
  constructor(queue: Queue, limits: Limits, deps: SenderDeps) {
    this.#queue = queue;
    this.#limits = limits;
    this.#deps = deps;
  }

  /** The connection is over; what was under way is sent again over the next one. */
  end(): void {
    this.#ended = true;
    this.#stopTimer();
  }

  /** Sends what waits. Call it whenever something was recorded; it costs nothing where nothing can be sent. */
  async pump(): Promise<void> {
    // A call that finds us under way is remembered: we may have looked already when its item was recorded.
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
    // A server that has its fill stops reading, and then it answers no ping either: stay one below.
    const most = Math.max(1, this.#limits.pushes_in_flight - 1);
    return !this.#ended && !this.#paused && this.#flights.length < most;
  }

  async #pushNext(): Promise<boolean> {
    const generation = this.#generation;
    const { mutations_per_push, frame_bytes } = this.#limits;
    const batch = await this.#queue.takeBatch(this.#next, mutations_per_push, frame_bytes - frameOverhead);
    // Sealing took a moment: the connection may be another one, or we may have to begin elsewhere.
    if (!this.#mayPush()) return false;
    if (generation !== this.#generation) return true;
    const last = batch.at(-1);
    if (!last) return false;
    this.#next = last.mutation.seq + 1;
    this.#flights.push(generation);
    if (this.#flights.length === 1) this.#expectAnswer();
    this.#deps.line.send({ type: 'push', mutations: batch.map((item) => item.mutation) });
    return true;
  }

  /** An answer to the oldest push under way. Its results are the outbox's business, and after a fork this sender is over. */
  took(ack: AckFrame): void {
    // An answer to something else, such as a declared loss.
    if (ack.results.length === 0 && ack.wants === undefined) return;
    const flight = this.#flights.shift();
    this.#expectAnswer();
    this.#failures = 0;
    // Pushes that followed a gap are all answered with it: begin again once.
    if (ack.wants !== undefined && flight === this.#generation) this.#restart(ack.wants);
  }

  /** An error frame: what is under way is sent again, later and later. Nothing is ever dropped for it. */
  failed(): void {
    const flight = this.#flights.shift();
    this.#expectAnswer();
    if (flight !== this.#generation) return;
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
    // The server has not answered for long although it is there: another connection may do better.
    const { environment, line } = this.#deps;
    this.#stopTimer = environment.clock.after(answerMs, () => line.tell({ is: 'renewed' }));
  }
}

/** `{"mutations":[…],"type":"push"}` and the commas. */
const frameOverhead = 1_024;
