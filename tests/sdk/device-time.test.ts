import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleKey } from '@tailgate/client-sdk/testing';
import type { Exchange } from '../../client-sdk/src/connection/device-time.ts';
import { bestOffset, DeviceTime, offsetOf, withExchange } from '../../client-sdk/src/connection/device-time.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

/** The server's time when the monotonic clock reads 0. */
const truth = 1_790_000_000_000;

/** A measured exchange: `up` and `down` are the two ways, in ms. */
const exchange = (askedAt: number, up: number, down: number, offset = truth): Exchange => ({
  askedAt,
  answeredAt: askedAt + up + down,
  serverTime: Math.floor(offset + askedAt + up),
});

const way = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 120_000 }));
const ways = fc.array(fc.record({ up: way, down: way, pause: fc.integer({ min: 0, max: 60_000 }) }), { minLength: 1 });

/** Exchanges one after the other. */
function measure(conversation: readonly { up: number; down: number; pause: number }[], offset = truth, start = 0) {
  let at = start;
  return conversation.map(({ up, down, pause }) => {
    const measured = exchange(at + pause, up, down, offset);
    at = measured.answeredAt;
    return measured;
  });
}

const keepAll = (exchanges: readonly Exchange[], known: readonly Exchange[] = []) =>
  exchanges.reduce<readonly Exchange[]>((recent, next) => withExchange(recent, next).recent, known);

describe("the estimate of the server's time", () => {
  test('uses the shortest of the latest exchanges', () => {
    const recent = keepAll([exchange(0, 60_000, 50), exchange(61_000, 40, 60), exchange(62_000, 50, 4_000)]);
    expect(bestOffset(recent, 67_000)?.ms).toBeCloseTo(truth - 10, 0);
  });

  test('is wrong by at most half the shortest round trip plus a small allowance for age, for all delays', () => {
    fc.assert(
      fc.property(ways, fc.integer({ min: 0, max: 28_800_000 }), (conversation, later) => {
        const exchanges = measure(conversation);
        const now = (exchanges.at(-1)?.answeredAt ?? 0) + later;
        const recent = keepAll(exchanges);
        const best = bestOffset(recent, now);
        expect(best).toBeDefined();
        if (!best) return;
        expect(Math.abs(best.ms - truth)).toBeLessThanOrEqual(best.errorMs);
        // No clock has changed, so no exchange was discarded early.
        expect(recent).toEqual(exchanges.slice(-8));
        const shortest = Math.min(...recent.map((each) => each.answeredAt - each.askedAt));
        expect(best.errorMs).toBeLessThanOrEqual(shortest / 2 + 1 + (now - recent[0]!.askedAt) / 10_000);
      }),
    );
  });

  test('stays within its error for all clocks that drift by up to 100 ppm, and prefers a fresh exchange to a shorter old one', () => {
    // Eight hours at 100 ppm: a short exchange of the morning is now worse than a slow one of this minute.
    const [morning, slow] = [exchange(0, 20, 20), exchange(28_800_000, 1_000, 1_000)];
    expect(offsetOf(morning, 28_802_000).errorMs).toBeCloseTo(2_901, 0);
    expect(bestOffset([morning, slow], 28_802_000)?.ms).toBe(offsetOf(slow, 28_802_000).ms);
    const hours = fc.integer({ min: 0, max: 28_800_000 });
    fc.assert(
      fc.property(ways, hours, fc.double({ min: -0.0001, max: 0.0001, noNaN: true }), (conversation, later, drift) => {
        // The server's clock as a function of this device's monotonic clock.
        const serverAt = (monotonic: number): number => truth + monotonic * (1 + drift);
        const exchanges = measure(conversation).map((each, n) => {
          const serverTime = Math.floor(serverAt(each.askedAt + (conversation[n]?.up ?? 0)));
          return { ...each, serverTime };
        });
        const now = (exchanges.at(-1)?.answeredAt ?? 0) + later;
        const best = bestOffset(keepAll(exchanges), now);
        // A drift during the exchange itself moves its middle by less than a thousandth of its round trip.
        expect(Math.abs(now + (best?.ms ?? 0) - serverAt(now))).toBeLessThanOrEqual((best?.errorMs ?? 0) * 1.001);
      }),
    );
  });

  test('detects a changed clock by the next exchange that contradicts the earlier ones', () => {
    fc.assert(
      fc.property(ways, ways, fc.integer({ min: -86_400_000, max: 86_400_000 }), (before, after, moved) => {
        const first = measure(before);
        const start = first.at(-1)?.answeredAt ?? 0;
        const second = measure(after, truth + moved, start);
        const known = keepAll(first);
        const [next] = second;
        const [old, fresh] = [bestOffset(known, next!.answeredAt), offsetOf(next!, next!.answeredAt)];
        const { recent, aheadMs } = withExchange(known, next!);
        const provable = Math.abs(fresh.ms - old!.ms) > fresh.errorMs + old!.errorMs;
        expect(recent).toEqual(provable ? [next] : [...known, next].slice(-8));
        expect(Math.sign(aheadMs)).toBe(provable ? Math.sign(moved) : 0);
        expect(Math.abs(aheadMs)).toBeLessThanOrEqual(Math.abs(moved));
        // After nine exchanges, only those since the change count.
        const [end, quick] = [second.at(-1)!.answeredAt, { up: 20, down: 20, pause: 0 }];
        const ninth = measure(
          Array.from({ length: 8 }, () => quick),
          truth + moved,
          end,
        );
        const best = bestOffset(keepAll([...second, ...ninth], known), end + 320);
        expect(Math.abs(best!.ms - truth - moved)).toBeLessThanOrEqual(best!.errorMs);
      }),
    );
  });

  test('restarts after a sleep of the monotonic clock, but not for a server clock that goes back or is slightly ahead', () => {
    const at = { now: truth, monotonic: 1_000 };
    const clock = { now: () => at.now, monotonic: () => at.monotonic, after: () => () => {} };
    const time = new DeviceTime({
      clock,
      random: { fraction: () => 0, bytes: (n) => crypto.getRandomValues(new Uint8Array(n)) },
    });
    const take = (serverTime: number): string => {
      const askedAt = at.monotonic;
      at.monotonic += 100;
      at.now += 100;
      time.take(askedAt, new Date(serverTime).toISOString());
      return time.id;
    };
    const boot = take(truth + 50);
    expect(time.reading()).toMatchObject({
      boot_id: boot,
      monotonic_ms: 100,
      server_now: new Date(truth + 100).toISOString(),
    });
    // Another node, a second ahead; then one that is behind.
    expect(take(truth + 1_150)).toBe(boot);
    expect(take(truth - 3_600_000)).toBe(boot);
    at.now += 3_600_000;
    expect(take(truth + 3_600_350)).not.toBe(boot);
    // A run's clock reads 0 at the start of the run. By this clock, no two runs of a device overlap.
    expect(time.reading().monotonic_ms).toBe(0);
    expect(time.best?.ms).toBe(at.now - at.monotonic);
  });

  test('ignores a server without a readable time', () => {
    const clock = { now: () => truth, monotonic: () => 1, after: () => () => {} };
    const time = new DeviceTime({ clock, random: { fraction: () => 0, bytes: (n) => new Uint8Array(n) } });
    time.take(0, 'noon');
    expect(time.reading()).not.toHaveProperty('server_now');
    expect([time.isSure, time.best]).toEqual([false, undefined]);
  });
});

test('a hello that was delayed for a minute shifts no edit: the client measures the time again before it pushes', async () => {
  const server = await startScriptedServer();
  const skipped = { ms: 0 };
  const clock = {
    now: () => Date.now() + skipped.ms,
    monotonic: () => performance.now() + skipped.ms,
    after: (ms: number, work: () => void) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
  };
  class DeadZone extends WebSocket {
    override send(data: string): void {
      if (data.includes('"type":"hello"')) skipped.ms += 60_000;
      super.send(data);
    }
  }
  const began = clock.monotonic();
  const client = await new Device(server.url, { clock, WebSocket: DeadZone }).start();
  await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
  await client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'x' } }).accepted;
  await until(client.status, ({ connection }) => connection === 'online');
  const pushed = server.heard.findIndex((frame) => frame.type === 'push');
  const readings = server.heard.slice(0, pushed).flatMap((frame) => (frame.type === 'ping' ? [frame.clock] : []));
  // The first ping has only the hello's measurement: half a minute of uncertainty.
  expect(readings).toHaveLength(2);
  const [first, second] = readings.map(
    (reading) => Date.parse(reading?.server_now ?? '') - (reading?.monotonic_ms ?? 0),
  );
  const real = Date.now() - (clock.monotonic() - began);
  expect(Math.abs((first ?? 0) - real)).toBeGreaterThan(25_000);
  expect(Math.abs((second ?? 0) - real)).toBeLessThan(5_000);
});
