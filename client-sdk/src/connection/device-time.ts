import type { DeviceClock } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import { newId } from '../platform/environment.ts';

/** A request that the server answered with its time. */
export interface Exchange {
  /** By this device's monotonic clock (ms). */
  readonly askedAt: number;
  readonly answeredAt: number;
  /** By the server's clock, at a moment between the two (ms since 1970). */
  readonly serverTime: number;
}

/** The server's time less the monotonic clock, and its possible error; ms. */
export interface Offset {
  readonly ms: number;
  readonly errorMs: number;
}

/** The size of NTP's clock filter (RFC 5905, section 10). */
const maxExchanges = 8;
/** The drift of a phone's quartz is smaller (100 ppm): the error of a measurement grows with its age. */
const drift = 0.0001;
/** A larger error needs another exchange before a push: the hello was delayed in a dead zone; ms. */
const maxErrorMs = 2_000;

/** The middle of an exchange. The error is at most half of the round trip, however the two directions share it. */
export function offsetOf({ askedAt, answeredAt, serverTime }: Exchange, now: number): Offset {
  const ms = serverTime - (askedAt + answeredAt) / 2;
  // The server sends whole milliseconds.
  return { ms, errorMs: (answeredAt - askedAt) / 2 + 1 + Math.max(0, now - answeredAt) * drift };
}

/** NTP's rule: the shortest of the last exchanges is the most precise. */
export function bestOffset(exchanges: readonly Exchange[], now: number): Offset | undefined {
  const offsets = exchanges.map((exchange) => offsetOf(exchange, now));
  return offsets.toSorted((a, b) => a.errorMs - b.errorMs)[0];
}

/**
 * Adds an exchange. Where it contradicts the earlier ones, one of the clocks has moved, and the earlier ones are
 * dropped.
 *
 * @returns `aheadMs`: how much further the server's time has gone than the monotonic clock can account for; negative
 * where it has fallen behind
 */
export function withExchange(
  known: readonly Exchange[],
  next: Exchange,
): { recent: readonly Exchange[]; aheadMs: number } {
  const [best, fresh] = [bestOffset(known, next.answeredAt), offsetOf(next, next.answeredAt)];
  const difference = best ? fresh.ms - best.ms : 0;
  const tolerance = best ? best.errorMs + fresh.errorMs : 0;
  if (Math.abs(difference) <= tolerance) return { recent: [...known, next].slice(-maxExchanges), aheadMs: 0 };
  return { recent: [next], aheadMs: difference - Math.sign(difference) * tolerance };
}

type TimeDeps = Pick<Environment, 'clock' | 'random'>;

/** This device's clocks, and the estimate of the server's clock. */
export class DeviceTime {
  /**
   * Identifies a period in which the monotonic clock has run evenly: a run of the app, or the part of it after a deep
   * sleep.
   */
  id: string;
  /** The monotonic clock at the beginning of this period. */
  #began: number;
  readonly #deps: TimeDeps;
  #exchanges: readonly Exchange[] = [];

  constructor(deps: TimeDeps) {
    this.#deps = deps;
    this.id = newId(deps);
    this.#began = deps.clock.monotonic();
  }

  /**
   * The monotonic clock since this period began; ms. Some platforms count theirs from the boot of the device. Two runs
   * of an app would then seem to overlap, and the server treats such a run as forged (protocol.md, Time).
   */
  get elapsed(): number {
    return this.#deps.clock.monotonic() - this.#began;
  }

  /** The best estimate of the server's time less the monotonic clock; undefined until measured. */
  get best(): Offset | undefined {
    return bestOffset(this.#exchanges, this.#deps.clock.monotonic());
  }

  /** The server's time, ms since 1970, whatever this device's clock shows; its own time until the first measurement. */
  get now(): number {
    const { clock } = this.#deps;
    return this.best ? clock.monotonic() + this.best.ms : clock.now();
  }

  /**
   * The time for a stamp whose age counts in days: this device's, or the server's where they differ by an hour. A clock
   * may jump by years, such as after an empty battery.
   */
  get stamp(): number {
    const own = this.#deps.clock.now();
    return Math.abs(own - this.now) < 3_600_000 ? own : this.now;
  }

  /** The `clock` of frames (protocol.md, Limits and time). */
  reading(): DeviceClock {
    const [now, monotonic] = [this.#deps.clock.now(), this.#deps.clock.monotonic()];
    const offset = this.best;
    return {
      now: new Date(now).toISOString(),
      boot_id: this.id,
      monotonic_ms: monotonic - this.#began,
      ...(offset && { server_now: new Date(monotonic + offset.ms).toISOString() }),
    };
  }

  /** Whether the estimate is precise enough for a push. */
  get isSure(): boolean {
    return (this.best?.errorMs ?? Infinity) <= maxErrorMs;
  }

  take(askedAt: number, serverTime: string): void {
    const exchange = { askedAt, answeredAt: this.#deps.clock.monotonic(), serverTime: Date.parse(serverTime) };
    if (!Number.isFinite(exchange.serverTime)) return;
    const { recent, aheadMs } = withExchange(this.#exchanges, exchange);
    this.#exchanges = recent;
    // Some platforms stop the monotonic clock in deep sleep: times recorded before are no longer comparable.
    if (aheadMs <= maxErrorMs) return;
    this.id = newId(this.#deps);
    this.#began = this.#deps.clock.monotonic();
  }
}
