import { isDeepStrictEqual } from 'node:util';
import type { ReceiptState } from '@tailgate/client-sdk';
import type { Driver } from './driver.ts';
import { isFollowing as mayFollow } from './model/assignments.ts';
import { REPORT } from './model/diary.ts';
import type { Evidence } from './model/evidence.ts';
import { placeOf, routeOf } from './model/fixture.ts';
import { stopOf } from './model/invariants.ts';
import type { Phone } from './phone.ts';

/** Whether every phone has the last receipt that it can get, of each change. */
export const isReported = (drivers: readonly Driver[], { office, seed }: Pick<Evidence, 'office' | 'seed'>): boolean =>
  drivers.every((driver) =>
    driver.history.taps.every(({ id, stop, isLost }) => {
      if (isLost) return true;
      const { app } = driver.phone;
      const place = placeOf(seed, stop);
      const isParked = app?.stop(place.stop, place.route).current?.parked ?? false;
      return isDone(app?.receipt(id)?.current, {
        isSignedIn: driver.hasPhone && driver.isSignedIn,
        isFollowing: stop !== REPORT && mayFollow({ office }, driver, stop) && !isParked,
      });
    }),
  );

/**
 * Whether a change is settled: on the host, with every file that its stop names. A phone that may not follow the route
 * gets only `accepted`, and a report has no further step.
 */
function isDone(
  receipt: ReceiptState | undefined,
  { isSignedIn, isFollowing }: { readonly isSignedIn: boolean; readonly isFollowing: boolean },
): boolean {
  // Without a session a phone learns of a decision when its driver signs in.
  if (receipt?.at === 'quarantined') return !isSignedIn || receipt.dismissed !== undefined;
  if (!isFollowing) return receipt?.at === 'accepted' || receipt?.at === 'on_host';
  return receipt?.at === 'on_host' && receipt.evidence === 'complete';
}

/** Whether these phones show the same results, and none of them a running countdown. */
export function showTheSame(phones: readonly Phone[], seed: number): boolean {
  const routes = phones.map(({ app }) => app?.route(routeOf(seed)).current);
  if (routes.some((route) => route?.autoclose_at ?? route?.forceclose_at)) return false;
  const [first, ...others] = routes.map((route) => route?.stops.map(stopOf) ?? []);
  return others.every((shown) => isDeepStrictEqual(shown, first));
}
