import type { DeviceClock } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import { newId } from '../platform/environment.ts';

/** A question that the server answered with its time. */
export interface Exchange {
  /** By this device's monotonic clock (ms). */
  readonly askedAt: number;
  readonly answeredAt: number;
  /** By the server's clock, at some moment in between (ms since 1970). */
  readonly serverTime: number;
}

/** What the monotonic clock lacks to be the server's time, and how wrong that can be; ms. */
export interface Offset {
  readonly ms: number;
  readonly errorMs: number;
}

/** As many as the clock filter of NTP keeps (RFC 5905, section 10). */
const exchangesKept = 8;
/** A phone's quartz runs wrong by less (100 ppm): what was measured long ago says less. */
const drift = 0.0001;
/** A doubt that is settled by another exchange before anything is pushed: the hello lay in a dead zone; ms. */
const doubtMs = 2_000;

/** The middle of an exchange; the truth is within half its round trip, whichever way took how long. */
export function offsetOf({ askedAt, answeredAt, serverTime }: Exchange, now: number): Offset {
  const ms = serverTime - (askedAt + answeredAt) / 2;
  // The server tells whole milliseconds.
  return { ms, errorMs: (answeredAt - askedAt) / 2 + 1 + Math.max(0, now - answeredAt) * drift };
}

/** NTP's rule: of the last exchanges the shortest one knows best. */
export function bestOffset(exchanges: readonly Exchange[], now: number): Offset | undefined {
  const offsets = exchanges.map((exchange) => offsetOf(exchange, now));
  return offsets.toSorted((a, b) => a.errorMs - b.errorMs)[0];
}

/**
 * Adds an exchange. Where it cannot be true together with what was known, one of the clocks has moved, and what was
 * known goes.
 *
 * @returns `aheadMs`: so much further than the monotonic clock can account for the server's time has gone; negative
 * where it has fallen behind
 */
export function withExchange(
  known: readonly Exchange[],
  next: Exchange,
): { kept: readonly Exchange[]; aheadMs: number } {
  const [best, fresh] = [bestOffset(known, next.answeredAt), offsetOf(next, next.answeredAt)];
  const apart = best ? fresh.ms - best.ms : 0;
  const doubt = best ? best.errorMs + fresh.errorMs : 0;
  if (Math.abs(apart) <= doubt) return { kept: [...known, next].slice(-exchangesKept), aheadMs: 0 };
  return { kept: [next], aheadMs: apart - Math.sign(apart) * doubt };
}

type TimeDeps = Pick<Environment, 'clock' | 'random'>;

/** This device's clocks, and the server's as far as they can tell. */
export class DeviceTime {
  /** Names a time in which the monotonic clock has run evenly: a run of the app, or what a deep sleep left of it. */
  id: string;
  /** Of the monotonic clock, when this time began. */
  #began: number;
  readonly #deps: TimeDeps;
  #exchanges: readonly Exchange[] = [];

  constructor(deps: TimeDeps) {
    this.#deps = deps;
    this.id = newId(deps);
    this.#began = deps.clock.monotonic();
  }

  /**
   * The monotonic clock since this time began; ms. Some platforms count theirs from the start of the device: by that, two
   * runs of an app would seem to overlap, and the server takes such a run for forged (protocol.md, Time).
   */
  get elapsed(): number {
    return this.#deps.clock.monotonic() - this.#began;
  }

  /** What the monotonic clock lacks to be the server's time, as far as it was measured. */
  get best(): Offset | undefined {
    return bestOffset(this.#exchanges, this.#deps.clock.monotonic());
  }

  /** What frames say of these clocks (protocol.md, Limits and time). */
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

  /** Whether times of now are known well enough to be pushed. */
  get isSure(): boolean {
    return (this.best?.errorMs ?? Infinity) <= doubtMs;
  }

  take(askedAt: number, serverTime: string): void {
    const exchange = { askedAt, answeredAt: this.#deps.clock.monotonic(), serverTime: Date.parse(serverTime) };
    if (!Number.isFinite(exchange.serverTime)) return;
    const { kept, aheadMs } = withExchange(this.#exchanges, exchange);
    this.#exchanges = kept;
    // Some platforms stop the monotonic clock in deep sleep: it says nothing about what was recorded before.
    if (aheadMs <= doubtMs) return;
    this.id = newId(this.#deps);
    this.#began = this.#deps.clock.monotonic();
  }
}
