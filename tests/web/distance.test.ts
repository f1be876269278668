import type { StopPlan } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { metresTo, stampOf } from '../../server/web/driver/model/distance.ts';
import { stopOf } from './route-stop.ts';

const now = Date.parse('2026-11-23T12:00:00Z');
const fix = { latitude: 41.8883, longitude: -87.7988, at: now - 60_000 };

const stopAt = (latitude: string, longitude: string) => {
  const { customer } = stopOf({});
  const location: StopPlan['customer']['location'] = { ...customer.location, coordinates: { latitude, longitude } };
  return stopOf({ customer: { ...customer, location } });
};

test('the distance to a customer is that on the ground', () => {
  expect(metresTo(stopAt('41.8883', '-87.7988'), fix, now)).toBe(0);
  // A hundredth of a degree of latitude.
  expect(metresTo(stopAt('41.8983', '-87.7988'), fix, now)).toBeCloseTo(1_112, 0);
});

test('an unknown place and an old fix have no distance', () => {
  expect(metresTo(stopAt('', ''), fix, now)).toBeUndefined();
  // The host writes 0/0 for a place that it does not have.
  expect(metresTo(stopAt('0.000000', '0.000000'), fix, now)).toBeUndefined();
  expect(metresTo(stopAt('north', '-87.7'), fix, now)).toBeUndefined();
  expect(metresTo(stopAt('41.8883', '-87.7988'), undefined, now)).toBeUndefined();
  expect(metresTo(stopAt('41.8883', '-87.7988'), { ...fix, at: now - 3_600_000 }, now)).toBeUndefined();
});

test('a delivery is stamped with a fresh place alone', () => {
  expect(stampOf(fix, now)).toEqual({ delivery_latitude: '41.888300', delivery_longitude: '-87.798800' });
  // The road, three minutes before the door.
  expect(stampOf({ ...fix, at: now - 3 * 60_000 }, now)).toEqual({});
  expect(stampOf(undefined, now)).toEqual({});
});
