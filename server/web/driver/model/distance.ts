import type { DeliverInput, LocalStop } from '@tailgate/client-sdk';
import { metersBetween } from '@tailgate/sync-protocol';

/** A position of the phone, with its time. */
export interface Fix {
  readonly latitude: number;
  readonly longitude: number;
  /** ms since 1970, by this phone's clock. */
  readonly at: number;
}

/** A position older than this does not belong to the present stop. */
const freshMs = 10 * 60_000;

/** Metres between the phone and the customer; undefined where either place is unknown, or the fix is old. */
export function metresTo({ customer }: LocalStop, fix: Fix | undefined, now: number): number | undefined {
  if (!fix || !isFresh(fix, now)) return undefined;
  return metersBetween(fix, customer.location.coordinates) ?? undefined;
}

/** The place of a delivery, for its record; nothing if the phone has none. */
export const stampOf = (
  fix: Fix | undefined,
  now: number,
): Pick<DeliverInput, 'delivery_latitude' | 'delivery_longitude'> =>
  fix && isFresh(fix, now)
    ? { delivery_latitude: fix.latitude.toFixed(6), delivery_longitude: fix.longitude.toFixed(6) }
    : {};

const isFresh = ({ at }: Fix, now: number): boolean => now - at <= freshMs;
