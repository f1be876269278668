import type { Client, ClientEvents, ReceiptState, Status, Store } from '@tailgate/client-sdk';
import { createClient } from '@tailgate/client-sdk';
import type { RouteKey } from '@tailgate/sync-protocol';
import { platform } from '../../client-sdk/src/environment.ts';
import { password } from './people.ts';
import { until } from './sdk-device.ts';

/** How an app of the field cases finds its server and its storage. */
export interface FieldAppOptions {
  readonly url: string;
  readonly store: Store;
  /** How far the phone's clock is ahead of this machine's: the days that have gone by in a story. */
  readonly elapsedMs: number;
}

/** What a driver says of a stop. */
export interface Said {
  readonly status?: 'D';
  readonly driver_comments?: string;
  readonly store_emp_name?: string;
}

/** A stop as its driver sees it. */
export interface Shown {
  readonly id: number;
  readonly status: string;
  readonly comments: string | null;
  readonly receiver: string | null;
  readonly pending: number;
}

/** An event of the client, as the app would show it. */
export interface Told {
  readonly is: keyof ClientEvents;
  readonly what: ClientEvents[keyof ClientEvents];
}

/** How far a phone's clocks have gone ahead of this machine's. */
interface Gone {
  wallMs: number;
  monotonicMs: number;
}

/**
 * What an app developer would write around the SDK, as small as the field cases need it. It runs here or in a page: all
 * that goes in and comes out is JSON.
 */
export class FieldApp {
  readonly #client: Client;
  readonly #told: Told[] = [];
  readonly #gone: Gone;

  private constructor(client: Client, gone: Gone) {
    this.#client = client;
    this.#gone = gone;
    for (const is of ['conflict', 'quarantined', 'session'] as const)
      client.on(is, (what) => this.#told.push({ is, what }));
  }

  static async start({ url, store, elapsedMs }: FieldAppOptions): Promise<FieldApp> {
    // Where sockets found nobody for a moment plain HTTP stands in for them: it looks for news as often as it pings.
    const timing = { retryBaseMs: 20, retryCapMs: 250, pingMs: 200, socketAgainMs: 200 };
    const gone = { wallMs: elapsedMs, monotonicMs: 0 };
    const clock = {
      ...platform.clock,
      now: () => platform.clock.now() + gone.wallMs,
      monotonic: () => platform.clock.monotonic() + gone.monotonicMs,
    };
    return new FieldApp(await createClient({ url, store, timing, clock }), gone);
  }

  /** Somebody sets the phone's clock; the one that never jumps goes on. */
  async turnClock(ms: number): Promise<void> {
    this.#gone.wallMs += ms;
  }

  /** So much time goes by on this phone. */
  async elapse(ms: number): Promise<void> {
    this.#gone.wallMs += ms;
    this.#gone.monotonicMs += ms;
  }

  /** Resolves with the route on the phone. */
  async signUp(employee: string): Promise<string> {
    const result = await this.#client.signUp(employee, password);
    await until(this.#client.route(), (route) => route !== undefined);
    return result.kind;
  }

  async signIn(employeeId: string): Promise<string> {
    return (await this.#client.signIn({ employeeId, password })).kind;
  }

  /** Resolves with the id of the change once it is on the disk. */
  async record(key: RouteKey, stop: number, updates: Said): Promise<string> {
    const receipt = this.#client.updateStop(key, { id: stop, updates });
    await receipt.saved;
    return receipt.id;
  }

  async receipt(id: string): Promise<ReceiptState | undefined> {
    return this.#client.receipt(id)?.current;
  }

  /** Resolves with what the server has answered. */
  settled(id: string): Promise<ReceiptState> {
    return this.#receipt(id, ['accepted', 'on_host', 'quarantined']);
  }

  onHost(id: string): Promise<ReceiptState> {
    return this.#receipt(id, ['on_host', 'quarantined']);
  }

  async shown(key: RouteKey): Promise<Shown[]> {
    return this.#shown(key);
  }

  /** Resolves as soon as the driver sees this. */
  async untilShown(key: RouteKey, stop: number, field: keyof Shown, value: Shown[keyof Shown]): Promise<void> {
    const isSo = (): boolean => this.#shown(key).some((each) => each.id === stop && each[field] === value);
    await until(this.#client.route(key), isSo);
  }

  async untilClosed(key: RouteKey): Promise<void> {
    await until(this.#client.route(key), (route) => route?.status === 'C');
  }

  async status(): Promise<Status> {
    return this.#client.status.current;
  }

  async untilOffline(): Promise<void> {
    await until(this.#client.status, ({ connection }) => connection !== 'online');
  }

  async untilDrained(): Promise<void> {
    await until(this.#client.status, ({ pending }) => Object.keys(pending).length === 0);
  }

  async told(): Promise<readonly Told[]> {
    return this.#told;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #shown(key: RouteKey): Shown[] {
    const stops = this.#client.route(key).current?.stops ?? [];
    return stops.map(({ id, updates, pending }) => ({
      id,
      status: updates.status,
      comments: updates.driver_comments,
      receiver: updates.store_emp_name,
      pending,
    }));
  }

  #receipt(id: string, ends: readonly ReceiptState['at'][]): Promise<ReceiptState> {
    const receipt = this.#client.receipt(id);
    if (!receipt) throw new Error(`the phone has no receipt of ${id}`);
    return until(receipt, ({ at }) => ends.includes(at));
  }
}
