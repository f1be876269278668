import type { DeliverInput, LocalStop } from '@tailgate/client-sdk';
import { metersBetween } from '@tailgate/sync-protocol';

/** A position of the phone, with its time. */
export interface Fix {
  readonly latitude: number;
  readonly longitude: number;
  /** ms since 1970, by this phone's clock. */
  readonly at: number;
}

/** The longest age of a position in ms: on the list, and as the place of a delivery. A truck drives a mile in two minutes. */
const freshMs = { list: 10 * 60_000, stamp: 2 * 60_000 };

/** Metres between the phone and the customer; undefined where either place is unknown, or the fix is old. */
export function metresTo({ customer }: LocalStop, fix: Fix | undefined, now: number): number | undefined {
  if (!fix || now - fix.at > freshMs.list) return undefined;
  return metersBetween(fix, customer.location.coordinates) ?? undefined;
}

/** The place of a delivery, for its record; nothing if the phone has none. */
export const stampOf = (
  fix: Fix | undefined,
  now: number,
): Pick<DeliverInput, 'delivery_latitude' | 'delivery_longitude'> =>
  fix && now - fix.at <= freshMs.stamp
    ? { delivery_latitude: fix.latitude.toFixed(6), delivery_longitude: fix.longitude.toFixed(6) }
    : {};
