import type { Client, ClientEvents, Environment, Receipt, ReceiptState, Status, Store } from '@tailgate/client-sdk';
import { createClient } from '@tailgate/client-sdk';
import type { FileKind, FileStore, Uploads, UploadStatus } from '@tailgate/client-sdk/uploads';
import { openUploads } from '@tailgate/client-sdk/uploads';
import type { RouteKey } from '@tailgate/sync-protocol';
import { platform } from '../../client-sdk/src/platform/environment.ts';
import { LateAcks } from './late-acks.ts';
import { password } from './people.ts';
import { until } from './sdk-device.ts';

/** The addresses of the server and of the storage for an app of the field cases. */
export interface FieldAppOptions {
  readonly url: string;
  readonly store: Store;
  readonly files: FileStore;
  /** How far the phone's clock is ahead of this machine's: the days that have passed in a case. */
  readonly elapsedMs: number;
  /** The app's platform; by default the real one. */
  readonly environment?: Environment;
}

/** A driver's values of a stop. */
export interface StopValues {
  readonly status?: 'D';
  readonly driver_comments?: string;
  readonly store_emp_name?: string;
}

/** A stop as its driver sees it. */
export interface ShownStop {
  readonly id: number;
  readonly status: string;
  readonly comments: string | null;
  readonly receiver: string | null;
  readonly pending: number;
}

/** A photo or a signature to take. */
export interface FileToAdd {
  readonly kind: FileKind;
  readonly name?: string;
  /** Bytes. */
  readonly size: number;
  /** Each number gives another picture. */
  readonly picture: number;
}

/** An event of the client, as the app would show it. */
export interface ReportedEvent {
  readonly name: keyof ClientEvents;
  readonly event: ClientEvents[keyof ClientEvents];
}

/** How far a phone's clocks are ahead of this machine's. */
interface ClockShift {
  wallMs: number;
  monotonicMs: number;
}

/** A minimal app around the SDK for the field cases. It runs here or in a page: all arguments and results are JSON. */
export class FieldApp {
  readonly #client: Client;
  readonly #uploads: Uploads;
  readonly #acks: LateAcks;
  readonly #events: ReportedEvent[] = [];
  readonly #watchedComments: (string | null)[] = [];
  readonly #shift: ClockShift;

  private constructor(client: Client, uploads: Uploads, acks: LateAcks, shift: ClockShift) {
    this.#client = client;
    this.#uploads = uploads;
    this.#acks = acks;
    this.#shift = shift;
    for (const name of ['conflict', 'quarantined', 'session'] as const)
      client.on(name, (event) => this.#events.push({ name, event }));
  }

  static async start({ url, store, files, elapsedMs, environment = platform }: FieldAppOptions): Promise<FieldApp> {
    // If sockets fail, plain HTTP replaces them: it polls as often as it pings.
    const timing = { retryBaseMs: 20, retryCapMs: 250, pingMs: 200, answerMs: 2_000, socketAgainMs: 200 };
    const shift = { wallMs: elapsedMs, monotonicMs: 0 };
    const acks = new LateAcks();
    const clock = {
      ...environment.clock,
      now: () => environment.clock.now() + shift.wallMs,
      monotonic: () => environment.clock.monotonic() + shift.monotonicMs,
    };
    const uploads = await openUploads({ store: files, photos: false });
    const parts = { ...environment, clock, WebSocket: acks.wrap(environment.WebSocket) };
    return new FieldApp(await createClient({ url, store, timing, uploads, ...parts }), uploads, acks, shift);
  }

  /** Sets the phone's wall clock; the monotonic clock continues. */
  async shiftWallClock(ms: number): Promise<void> {
    this.#shift.wallMs += ms;
  }

  /** Advances the clocks of this phone. */
  async advanceClocks(ms: number): Promise<void> {
    this.#shift.wallMs += ms;
    this.#shift.monotonicMs += ms;
  }

  /** The network state that the platform reports from now on, true or not; Node reports none. */
  async overrideNetworkState(isOnline: boolean): Promise<void> {
    if (!('document' in globalThis)) return;
    Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => isOnline });
    globalThis.dispatchEvent(new Event(isOnline ? 'online' : 'offline'));
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

  async signOut(): Promise<void> {
    await this.#client.signOut();
  }

  /** Resolves with the id of the change once it is on the disk. */
  async record(key: RouteKey, stop: number, updates: StopValues): Promise<string> {
    const receipt = this.#client.updateStop(key, { id: stop, updates });
    await receipt.saved;
    return receipt.id;
  }

  /** As an app that has fewer rules than the server: without this app's own checks. */
  async recordUnchecked(route: RouteKey, stop: number, updates: StopValues): Promise<string> {
    const args = { route, stop: { id: stop, updates } };
    const receipt = this.#client.record({ name: 'stop.update', version: 1, args });
    await receipt.saved;
    return receipt.id;
  }

  /** Records the comment of a stop again and again, with a longer text each time, until the disk is full. */
  async fillDisk(key: RouteKey, stops: readonly number[]): Promise<string[]> {
    const ids: string[] = [];
    while (this.#client.status.current.storage === 'ok') {
      for (const id of stops)
        ids.push(this.#client.updateStop(key, { id, updates: { driver_comments: `${ids.length}${longComment}` } }).id);
      const { status } = this.#client;
      const last = this.#receipt(ids.at(-1) ?? '');
      await Promise.race([last.saved, until(status, ({ storage }) => storage === 'failing')]);
    }
    return ids;
  }

  async receipt(id: string): Promise<ReceiptState | undefined> {
    return this.#client.receipt(id)?.current;
  }

  async untilSaved(id: string): Promise<void> {
    await this.#receipt(id).saved;
  }

  /** Resolves with the server's answer. */
  settled(id: string): Promise<ReceiptState> {
    return until(this.#receipt(id), isOneOf('accepted', 'on_host', 'quarantined'));
  }

  onHost(id: string): Promise<ReceiptState> {
    return until(this.#receipt(id), isOneOf('on_host', 'quarantined'));
  }

  /** From now on the server's answers to pushes come later than all of its other messages. */
  async delayAcks(): Promise<void> {
    this.#acks.delay();
  }

  async untilAckDelayed(): Promise<void> {
    await this.#acks.untilDelayed();
  }

  async releaseAcks(): Promise<void> {
    this.#acks.release();
  }

  async shown(key: RouteKey): Promise<ShownStop[]> {
    // A page that opens while the last one still closes must get it from that one.
    await until(this.#client.route(key), (route) => route !== undefined);
    return this.#shown(key);
  }

  /** Records the driver's view of this stop from now on, for `watchedComments`. */
  async watch(key: RouteKey, stop: number): Promise<void> {
    this.#client.stop(stop, key).subscribe((now) => this.#watchedComments.push(now?.updates.driver_comments ?? null));
  }

  async watchedComments(): Promise<readonly (string | null)[]> {
    return this.#watchedComments;
  }

  /** Resolves as soon as the driver sees this. */
  async untilShown(
    key: RouteKey,
    stop: number,
    field: keyof ShownStop,
    value: ShownStop[keyof ShownStop],
  ): Promise<void> {
    const isSo = (): boolean => this.#shown(key).some((each) => each.id === stop && each[field] === value);
    await until(this.#client.route(key), isSo);
  }

  async untilClosed(key: RouteKey): Promise<void> {
    await until(this.#client.route(key), (route) => route?.status === 'C');
  }

  async status(): Promise<Status> {
    return this.#client.status.current;
  }

  async untilOnline(): Promise<void> {
    await until(this.#client.status, ({ connection }) => connection === 'online');
  }

  async untilOffline(): Promise<void> {
    await until(this.#client.status, ({ connection }) => connection !== 'online');
  }

  async untilDrained(): Promise<void> {
    await until(this.#client.status, ({ pending }) => Object.keys(pending).length === 0);
  }

  async events(): Promise<readonly ReportedEvent[]> {
    return this.#events;
  }

  /** Takes a photo; resolves with its id once it is on the disk. */
  async addFile({ size, picture, ...file }: FileToAdd): Promise<string> {
    return (await this.#uploads.add(new Blob([pictureOf(picture, size)]), file)).id;
  }

  /** Resolves with `here`, or with the reason why it never arrives. */
  fileHere(id: string): Promise<string> {
    return this.#uploads.here(id).then(
      () => 'here',
      (error: unknown) => String(error),
    );
  }

  async uploads(): Promise<UploadStatus> {
    return this.#uploads.status.current;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #shown(key: RouteKey): ShownStop[] {
    const stops = this.#client.route(key).current?.stops ?? [];
    return stops.map(({ id, updates, pending }) => ({
      id,
      status: updates.status,
      comments: updates.driver_comments,
      receiver: updates.store_emp_name,
      pending,
    }));
  }

  #receipt(id: string): Receipt {
    const receipt = this.#client.receipt(id);
    if (!receipt) throw new Error(`the phone has no receipt of ${id}`);
    return receipt;
  }
}

const isOneOf =
  (...ends: readonly ReceiptState['at'][]) =>
  ({ at }: ReceiptState): boolean =>
    ends.includes(at);

const longComment = 'x'.repeat(1_900);

/** Incompressible bytes; the same in every call. */
export function pictureOf(picture: number, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  // A linear congruential generator (Numerical Recipes); its high bits are random enough for a picture.
  for (let i = 0, x = picture; i < size; i++) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = x >>> 24;
  }
  return bytes;
}
