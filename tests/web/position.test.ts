import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askPositionIfPermitted, position } from '../../server/web/driver/position.ts';

let state: string | undefined;
const asked = vi.fn<Geolocation['getCurrentPosition']>();
beforeEach(() => {
  vi.stubGlobal('navigator', {
    geolocation: { getCurrentPosition: asked },
    permissions: { query: async () => ({ state }) },
  });
});
afterEach(() => {
  asked.mockClear();
  position.set(undefined);
  vi.unstubAllGlobals();
});

test('a driver who left the question for the position without an answer is not asked again', async () => {
  state = 'prompt';
  await askPositionIfPermitted();
  expect(asked).not.toHaveBeenCalled();
});

test('a permission, or a position of this run, is enough to ask the phone; its answer is never too old for a delivery', async () => {
  state = 'granted';
  await askPositionIfPermitted();
  state = 'prompt';
  position.set({ latitude: 41.9, longitude: -87.6, at: 0 });
  await askPositionIfPermitted();
  expect(asked).toHaveBeenCalledTimes(2);
  const { maximumAge = 0, timeout = Infinity } = asked.mock.calls[0]?.[2] ?? {};
  const everyMs = 60_000;
  expect(maximumAge + everyMs + timeout).toBeLessThanOrEqual(120_000);
});
