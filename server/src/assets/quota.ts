import type { Queryable } from '../db/types.ts';
import { UploadRefusal } from './refusal.ts';
import { chargeQuota } from './sql.ts';

const hourMs = 3_600_000;

/**
 * Counts bytes towards what a caller may send in this hour, on all nodes together. A count, not an account: it is not
 * given back where an upload is refused, for its bytes were sent.
 * @throws UploadRefusal where it is too much
 */
export async function charge(
  db: Queryable,
  { caller, bytes, most, now }: { caller: string; bytes: number; most: number; now: Date },
): Promise<void> {
  const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
  const { rowCount } = await db.query(chargeQuota, [caller, hour, bytes, most]);
  if (rowCount === 0) throw new UploadRefusal('RATE_LIMITED', 'Too much was uploaded from here within this hour.');
}
