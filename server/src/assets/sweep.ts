import type { Queryable } from '../db/types.ts';
import { sweepIncoming, sweepQuotas, sweepUploadKeys } from './sql.ts';

/** Contract §4: as long as an Idempotency-Key is remembered. */
const keyMs = 30 * 24 * 3_600_000;
const quotaMs = 2 * 3_600_000;
/** A file's chunks go in one statement; few files, so that it stays short. */
const contentsASweep = 20;
const keysASweep = 5_000;

/** Deletes what uploads left behind, and what is remembered of them no longer. Any number of nodes at once. */
export async function sweepAssets(db: Queryable, now: Date): Promise<void> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  for (let swept = contentsASweep; swept === contentsASweep;) {
    swept = (await db.query(sweepIncoming, [now, contentsASweep])).rowCount ?? 0;
  }
  await db.query(sweepUploadKeys, [before(keyMs), keysASweep]);
  await db.query(sweepQuotas, [before(quotaMs)]);
}
