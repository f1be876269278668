import type { RouteKey } from '@tailgate/sync-protocol';
import type { StopOnHost } from '../stops/host-stop.ts';
import { HostStops } from './to-host/host-stops.ts';
import { SingleFlight, within } from '../runtime/single-flight.ts';
import type { Host, HostColumn, HostJob } from '../host/host.ts';
import { isHostFileName } from '../host/files/tables.ts';

export interface HostTable {
  readonly library: string;
  readonly table: string;
  readonly columns: readonly HostColumn[];
}

/** Callers of diagnostics do not wait longer. */
const ANSWER_TIMEOUT_MS = 4_000;

/**
 * The host's description of itself, for diagnostics on any node. It opens connections of its own at the first request:
 * a node that only serves drivers needs none, and many calls of these open endpoints must not take those of
 * replication. Concurrent requests for the same answer share one query, so that a slow host collects no queue.
 */
export class LazyHostCatalog {
  readonly #open: () => Promise<Host>;
  readonly #timeoutMs: number;
  readonly #job = new SingleFlight<HostJob>();
  readonly #tables = new Map<string, SingleFlight<HostTable | undefined>>();
  readonly #stops = new Map<string, SingleFlight<StopOnHost | undefined>>();
  #host: Promise<Host> | undefined;

  constructor(open: () => Promise<Host>, timeoutMs = ANSWER_TIMEOUT_MS) {
    this.#open = open;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws HostError, or an Error where the host does not answer in time */
  job(): Promise<HostJob> {
    const answer = this.#job.ask(async () => (await this.#connect()).ping());
    return within(this.#timeoutMs, 'the host', answer);
  }

  /** Undefined for an unknown file name, and for a file that the host lacks. @throws as `job` */
  async describe(name: string): Promise<HostTable | undefined> {
    const table = name.toUpperCase();
    if (!isHostFileName(table)) return undefined;
    const question = this.#tables.get(table) ?? new SingleFlight();
    this.#tables.set(table, question);
    const answer = question.ask(async () => {
      const host = await this.#connect();
      const columns = await host.describe(table);
      return columns && { library: host.library, table, columns };
    });
    return within(this.#timeoutMs, 'the host', answer);
  }

  /** A stop as it is now; undefined where the host has none. @throws as `job` */
  async readStop(key: RouteKey, stop: number): Promise<StopOnHost | undefined> {
    const name = `${key.facility}/${key.id}/${key.week_end}/${stop}`;
    const reading = this.#stops.get(name) ?? new SingleFlight();
    this.#stops.set(name, reading);
    const answer = reading.ask(async () => new HostStops(await this.#connect()).read(key, stop));
    return within(
      this.#timeoutMs,
      'the host',
      answer.finally(() => this.#stops.delete(name)),
    );
  }

  async close(): Promise<void> {
    const host = await this.#host?.catch(() => undefined);
    await host?.close();
  }

  /** After a failure the next request opens the host again. */
  #connect(): Promise<Host> {
    this.#host ??= this.#open().catch((error: unknown) => {
      this.#host = undefined;
      throw error;
    });
    return this.#host;
  }
}
