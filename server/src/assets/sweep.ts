import type { Queryable } from '../db/types.ts';
import { sweepIncoming, sweepQuotas, sweepUploadKeys } from './sql.ts';

/** Contract §4: the life of an Idempotency-Key. */
const keyMs = 30 * 24 * 3_600_000;
const quotaMs = 2 * 3_600_000;
/** One statement deletes all chunks of a file; few files keep it short. */
const contentsASweep = 20;
const keysASweep = 5_000;

/** Deletes the leftovers of uploads, expired keys and quotas. Several nodes may run it at once. */
export async function sweepAssets(db: Queryable, now: Date): Promise<void> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  for (let swept = contentsASweep; swept === contentsASweep;) {
    swept = (await db.query(sweepIncoming, [now, contentsASweep])).rowCount ?? 0;
  }
  await db.query(sweepUploadKeys, [before(keyMs), keysASweep]);
  await db.query(sweepQuotas, [before(quotaMs)]);
}
