import type { DeliverInput, LocalStop } from '@tailgate/client-sdk';

/** A position of the phone, with its time. */
export interface Fix {
  readonly latitude: number;
  readonly longitude: number;
  /** ms since 1970, by this phone's clock. */
  readonly at: number;
}

/** A position older than this does not belong to the present stop. */
const freshMs = 10 * 60_000;
const earthRadius = 6_371_000;

/** Metres between the phone and the customer; undefined where either place is unknown, or the fix is old. */
export function metresTo({ customer }: LocalStop, fix: Fix | undefined, now: number): number | undefined {
  const { latitude, longitude } = customer.location.coordinates;
  const [to, east] = [Number(latitude), Number(longitude)];
  if (!fix || !isFresh(fix, now) || latitude.trim() === '' || Number.isNaN(to) || Number.isNaN(east)) return undefined;
  const half = (degrees: number): number => Math.sin((degrees * Math.PI) / 360) ** 2;
  const cosines = Math.cos((fix.latitude * Math.PI) / 180) * Math.cos((to * Math.PI) / 180);
  return 2 * earthRadius * Math.asin(Math.sqrt(half(to - fix.latitude) + cosines * half(east - fix.longitude)));
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
