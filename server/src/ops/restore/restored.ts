import { beginEpoch, difference, type Epoch } from '../../db/epoch.ts';
import { sqlStateOf } from '../../db/sqlstate.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db } from '../../db/types.ts';
import { StartError } from '../../runtime/start-error.ts';
import { reportIncident } from '../../incidents/sql.ts';
import { recordAct } from '../../acts/sql.ts';
import { hasActs, listServers } from './restored-sql.ts';

/** The result of `declareRestored`. */
export interface Restored {
  readonly before: Epoch | undefined;
  readonly now: Epoch;
  /** Servers that run on this database now, in the old epoch. */
  readonly servers: readonly string[];
}

/**
 * Records that this database was restored to an earlier state: begins a new epoch and saves an incident and the act, in
 * one transaction. A backup of a release without acts gets no act. Phones then fetch everything anew and send their unconfirmed items again (I9).
 *
 * @param above see `beginEpoch`
 */
export async function declareRestored(db: Db, reason: string, above?: number): Promise<Restored> {
  const { rows } = await db.query<{ name: string }>(listServers);
  try {
    const epochs = await withTransaction(db, async (tx) => {
      const begun = await beginEpoch(tx, reason, above);
      const details = { reason, epoch: begun.now.epoch, before: begun.before ?? null, now: begun.now };
      await tx.query(reportIncident, ['restored', JSON.stringify(details)]);
      const [acts] = (await tx.query<{ exists: boolean }>(hasActs)).rows;
      if (acts?.exists)
        await recordAct(tx, {
          by: 'npm run ops',
          act: 'restored',
          subject: { kind: 'database', id: `epoch ${begun.now.epoch}` },
          reason,
          before: begun.before ?? null,
          after: begun.now,
        });
      return begun;
    });
    return { ...epochs, servers: rows.map(({ name }) => name) };
  } catch (cause) {
    if (sqlStateOf(cause) !== '42P01') throw cause;
    throw new StartError('no server has ever started on this database: there is nothing to restore', { cause });
  }
}

/** The result of the command and the next steps, for the operator. */
export function describeRestored({ before, now, servers }: Restored): string {
  const history =
    before && (before.cluster !== now.cluster || before.timeline !== now.timeline)
      ? difference(before, now)
      : 'PostgreSQL itself shows no sign of a restore: a copy of its files was put back, or nothing';
  const start =
    servers.length === 0
      ? 'Start the servers.'
      : `Servers run on this database (${servers.join(', ')}) and belong to the old epoch: each of them ends now, start it again.`;
  return [
    `Epoch ${now.epoch} has begun${before ? `, after epoch ${before.epoch}` : ''}. An incident "restored" is recorded.`,
    `  ${history}.`,
    `  When a backup from before this moment is put back, announce that with --above ${now.epoch}.`,
    '',
    'Next steps',
    `  1. ${start}`,
    '  2. Phones receive the new epoch when they connect, fetch their routes again and resend the records that they',
    '     still have: all until they are on the host, and a week longer. The server applies no record twice.',
    '  3. A phone declares records that it no longer has as gone: an incident for the office names them.',
    '  4. Changes by REST or by the office since the backup return from the host, if they had reached it: the first',
    '     server compares the open routes as it starts. Incidents "host_drift" name the differences.',
  ].join('\n');
}
