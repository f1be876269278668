import { withoutFlush } from '../db/without-flush.ts';
import type { Db } from '../db/types.ts';
import { beginQuota, chargeQuota } from './sql.ts';

const hourMs = 3_600_000;

/** A caller has used up its bytes of this hour; the edge answers 429. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
  /** The time to the next hour. */
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('Too much came from here within this hour; the next one has room again.');
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Counts a caller's bytes in this hour, on all nodes together. A refused upload counts as well, because its bytes were
 * sent. A crash may lose the count.
 * @throws QuotaExceeded above the limit
 */
export async function charge(
  db: Db,
  { caller, bytes, max, now }: { caller: string; bytes: number; max: number; now: Date },
): Promise<void> {
  const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
  const rowCount = await withoutFlush(db, [
    [beginQuota, [caller, hour]],
    [chargeQuota, [caller, hour, bytes, max]],
  ]);
  if (rowCount === 0) throw new QuotaExceeded(hour.getTime() + hourMs - now.getTime());
}
