import { recordAct } from '../../acts/sql.ts';
import type { Db, Queryable } from '../../db/types.ts';
import type { Pipeline, PushAnswer } from '../../mutations/change.ts';
import type { Log } from '../../runtime/log.ts';
import { AppError } from '../../wire/errors.ts';
import { openClients } from '../clients.ts';
import { clockOf } from '../device-clock.ts';

/** The queue of a broken phone, and the operator who submits it. */
export interface Rescue {
  readonly clientId: string;
  readonly employee: string;
  /** The author, as acts store it. */
  readonly by: string;
}

export interface RescueDeps {
  readonly db: Db;
  readonly pipeline: Pick<Pipeline, 'push' | 'waitForCapacity'>;
  readonly clock: () => Date;
  readonly log: Log;
}

/**
 * Submits sealed items in their author's name, also for a queue that is revoked or unknown here. The report of the
 * phone stays as it was: the phone itself has said nothing.
 *
 * @throws AppError for a queue of another employee; MalformedPush, UnknownQueue
 */
export async function submitRescued(
  { db, pipeline, clock, log }: RescueDeps,
  { requestId, mutations, ...rescue }: Rescue & { readonly requestId: string; readonly mutations: readonly unknown[] },
): Promise<PushAnswer> {
  const { clientId, employee, by: user } = rescue;
  const unnamed = { device: '', sdk: '', app: '' };
  const [client] = await openClients(
    db,
    [{ client_id: clientId, employee_id: employee, ...unnamed }],
    clock(),
    'operator',
  );
  if (client?.kind !== 'open') throw new AppError(client?.code ?? 'DEVICE_NOT_FOUND');
  log.info({ client: clientId, employee, user, items: mutations.length }, 'an operator brings a queue');
  if (mutations.length === 0) return { last_seq: client.lastSeq, results: [] };
  await pipeline.waitForCapacity();
  const queue = { session: {}, clientId, employee, requestId, clock: clockOf(undefined, clock()), rescued: true };
  const pushed = await pipeline.push(queue, mutations);
  await recordRescue(db, rescue, pushed.results);
  return pushed;
}

/** A repetition of items that the server has is no act. */
export async function recordRescue(
  db: Queryable,
  { clientId, employee, by }: Rescue,
  results: readonly { readonly result: string }[],
): Promise<void> {
  const count = (wanted: string) => results.filter(({ result }) => result === wanted).length;
  const after = { applied: count('applied'), duplicate: count('duplicate'), quarantined: count('quarantined') };
  if (after.applied + after.quarantined === 0) return;
  const subject = { kind: 'device', id: clientId } as const;
  await recordAct(db, { by, act: 'rescueQueue', subject, employee, reason: '', before: null, after });
}
