import type { Queryable } from '../db/types.ts';
import { chargeQuota } from './sql.ts';

const hourMs = 3_600_000;

/** A caller has sent as much as an hour allows; the edge answers 429. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
  /** Until the next hour begins. */
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('Too much came from here within this hour; the next one has room again.');
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Counts bytes towards what a caller may send in this hour, on all nodes together. A count, not an account: it is not
 * given back where an upload is refused, for its bytes were sent.
 * @throws QuotaExceeded where it is too much
 */
export async function charge(
  db: Queryable,
  { caller, bytes, most, now }: { caller: string; bytes: number; most: number; now: Date },
): Promise<void> {
  const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
  const { rowCount } = await db.query(chargeQuota, [caller, hour, bytes, most]);
  if (rowCount === 0) throw new QuotaExceeded(hour.getTime() + hourMs - now.getTime());
}
