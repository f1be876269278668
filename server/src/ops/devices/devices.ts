import { unregister } from '../../auth/unregister.ts';
import type { Sessions } from '../../auth/sessions.ts';
import { endDeviceSessions } from '../../auth/sign-out.ts';
import { recordAct } from '../../acts/sql.ts';
import type { Db, Queryable } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import * as sql from './devices-sql.ts';
import { entryAfter, pageOf, type Page } from '../pages.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import type { MutationResult } from '@tailgate/sync-protocol';
import { UnknownQueue } from '../../mutations/intake/pipeline.ts';
import { MalformedPush } from '../../mutations/item.ts';
import { submitRescued, type RescueDeps } from '../../sync/plain-http/rescue.ts';
import { AppError } from '../../wire/errors.ts';
import type { OpsCaller } from '../../wire/access.ts';
import { authorOf } from '../acts/author.ts';
import { inTurn, latestAct, refuseSecond } from '../acts/in-turn.ts';
import type { DeviceItem, DeviceQuery, RescuedItem } from './contract.ts';
import { deviceOperations } from './contract.ts';

export interface DeviceDeps {
  readonly db: Db;
  readonly clock: () => Date;
  readonly log: Log;
}

/** The end of a queue or an account: its author and reason. */
interface Ending {
  readonly caller: OpsCaller;
  readonly by: string;
  readonly reason: string;
}

const dates = ['oldest_pending_at', 'oldest_file_at', 'created_at', 'last_seen_at', 'revoked_at'] as const;
type DeviceRow = Omit<DeviceItem, (typeof dates)[number]> & {
  readonly oldest_pending_at: Date | null;
  readonly oldest_file_at: Date | null;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly revoked_at: Date | null;
};

const MINUTE_MS = 60_000;
/** The default of the list. */
const SILENT_MINUTES = 60;

/** Lists all queues, the youngest first. The reports of their phones are at most a minute old. */
async function listDevices(
  { db, clock }: Pick<DeviceDeps, 'db' | 'clock'>,
  { state, employee, client_id, silent_minutes, limit, cursor }: DeviceQuery,
): Promise<Page<DeviceItem>> {
  const after = entryAfter(cursor);
  const times = [clock(), silentSince(clock(), silent_minutes)];
  const place = [after?.[0] ?? null, after?.[1] ?? null];
  const values = [...times, state, employee ?? null, ...place, limit + 1, client_id ?? null];
  const { rows } = await db.query<DeviceRow & { position: string }>(sql.listDevices, values);
  return pageOf(rows, limit, { item: itemOf, position: (row) => [row.position, row.client_id] });
}

/**
 * Ends a lost phone: the server refuses its queue and its queue key, and ends the driver's sessions there. Only an
 * operator can submit the items that are still on it (protocol.md, Rescue). A second call keeps the first revocation. It
 * ends sessions that began since, and is an act only then.
 * @returns undefined where there is no such queue
 */
async function revokeDevice(
  { db, clock, log }: DeviceDeps,
  clientId: string,
  { by, reason }: Omit<Ending, 'caller'>,
): Promise<DeviceItem | undefined> {
  const now = clock();
  const subject = { kind: 'device', id: clientId } as const;
  const found = await inTurn(db, subject, async (tx) => {
    const before = await readDevice(tx, clientId, now);
    const { rows } = await tx.query<{ employee: string; device: string }>(sql.revokeQueue, [clientId, by, reason, now]);
    const [queue] = rows;
    if (!queue || !before) return undefined;
    const sessions = await endDeviceSessions(tx, queue, now);
    const isRevoked = before.revoked_at !== null && !before.held;
    if (isRevoked && sessions === 0) return { ...queue, isAct: false };
    await recordAct(tx, {
      by,
      act: 'revokeDevice',
      subject,
      employee: queue.employee,
      reason,
      before: { revoked_at: before.revoked_at, held: before.held, pending: before.pending },
      after: { revoked_at: before.held ? now : (before.revoked_at ?? now), held: false, sessions },
    });
    return { ...queue, isAct: true };
  });
  if (!found) return undefined;
  if (found.isAct)
    log.warn({ client: clientId, employee: found.employee, user: by }, 'an operator has revoked a device');
  return readDevice(db, clientId, now);
}

/**
 * The log and the queues record author and reason, because the account passes to its next owner.
 * @returns the time; undefined where no such employee is registered
 */
async function unregisterByOperator(
  { db, clock, log }: DeviceDeps,
  employee: string,
  ending: Ending,
): Promise<Date | undefined> {
  const now = clock();
  const { by, reason } = ending;
  const queues = await unregisterDriver(db, employee, ending, now);
  if (queues === undefined) return undefined;
  log.warn({ employee, user: by, reason, queues }, 'an operator has unregistered a driver');
  return now;
}

/**
 * Ends a registration: all sessions end, the password is void, and the employee may sign up again. Later items of their
 * queues go to quarantine. So an impostor's phone changes nothing, and nothing that a driver recorded is lost.
 *
 * @returns the number of those queues; undefined where no such employee is registered
 * @throws AppError where another operator has unregistered the employee before
 */
export function unregisterDriver(
  db: Db,
  employee: string,
  { caller, by, reason }: Ending,
  now: Date,
): Promise<number | undefined> {
  const subject = { kind: 'driver', id: employee } as const;
  return inTurn(db, subject, async (tx) => {
    // Locks queues before sessions, in the order of the hello that ties them. Queues tied meanwhile are updated below,
    // too.
    await tx.query(sql.lockQueuesOf, [employee]);
    if (!(await unregister(tx, employee, now))) {
      refuseSecond({ caller }, await latestAct(tx, subject, ['unregisterDriver']));
      return undefined;
    }
    const { rowCount } = await tx.query(sql.holdQueues, [employee, by, reason, now]);
    const after = { unregistered_at: now, queues: rowCount ?? 0 };
    await recordAct(tx, { by, act: 'unregisterDriver', subject, employee, reason, before: null, after });
    return rowCount ?? 0;
  });
}

async function readDevice(db: Queryable, clientId: string, now: Date): Promise<DeviceItem | undefined> {
  const values = [now, silentSince(now, SILENT_MINUTES), clientId];
  const { rows } = await db.query<DeviceRow>(sql.readDevice, values);
  return rows[0] && itemOf(rows[0]);
}

const silentSince = (now: Date, minutes: number): Date => new Date(now.getTime() - minutes * MINUTE_MS);

const itemOf = (row: DeviceRow): DeviceItem => ({
  client_id: row.client_id,
  employee: row.employee,
  employee_name: row.employee_name,
  facility: row.facility,
  device: row.device,
  app: row.app,
  sdk: row.sdk,
  pending: row.pending,
  oldest_pending_at: row.oldest_pending_at?.toISOString() ?? null,
  pending_files: row.pending_files,
  pending_bytes: row.pending_bytes,
  oldest_file_at: row.oldest_file_at?.toISOString() ?? null,
  silent: row.silent,
  last_seq: row.last_seq,
  quarantined: row.quarantined,
  signed_in: row.signed_in,
  created_at: row.created_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
  revoked_by: row.revoked_by,
  revoke_reason: row.revoke_reason,
  held: row.held,
});

const rescuedOf = ({ seq, id, result, reason, details = [], warnings = [] }: MutationResult): RescuedItem => ({
  seq,
  id,
  result,
  reason: reason ?? null,
  details,
  warnings: warnings.map(({ path, message }) => ({ path, message })),
});

function refuseRescue(error: unknown): never {
  if (error instanceof MalformedPush) throw invalidInput(error.details);
  // The database is another one since the queue was opened.
  if (error instanceof UnknownQueue) throw new AppError('DEVICE_NOT_FOUND');
  throw error;
}

export interface DeviceEdge extends DeviceDeps, RescueDeps {
  readonly sessions: Pick<Sessions, 'forget'>;
}

/**
 * Operators: queues on phones, lost phones and drivers who leave. An ended session is forgotten on this node at once,
 * because the notification to the other nodes may come after the answer.
 */
export function deviceEndpoints({ sessions, ...deps }: DeviceEdge) {
  return {
    listDevices: endpoint(deviceOperations.listDevices, ({ query }) => listDevices(deps, query)),

    revokeDevice: opsEndpoint(deviceOperations.revokeDevice, async ({ params, body, caller }) => {
      const ending = { by: authorOf(caller, body.by), reason: body.reason };
      const device = await revokeDevice(deps, params.client_id, ending);
      if (!device) throw new AppError('DEVICE_NOT_FOUND');
      sessions.forget([device.employee]);
      return { data: device };
    }),

    rescueQueue: opsEndpoint(deviceOperations.rescueQueue, async ({ params, body, caller, request }) => {
      const { employee, mutations } = body;
      const rescue = { clientId: params.client_id.toLowerCase(), employee, by: authorOf(caller, body.by) };
      const pushed = await submitRescued(deps, { ...rescue, requestId: request.id, mutations }).catch(refuseRescue);
      const { last_seq, results, wants = null, fork = null } = pushed;
      return { data: { last_seq, results: results.map(rescuedOf), wants, fork } };
    }),

    unregisterDriver: opsEndpoint(deviceOperations.unregisterDriver, async ({ params: { employee }, body, caller }) => {
      const ending = { caller, by: authorOf(caller, body.by), reason: body.reason };
      const since = await unregisterByOperator(deps, employee, ending);
      if (!since) throw new AppError('EMPLOYEE_NOT_FOUND', { message: 'No employee with this id is registered.' });
      sessions.forget([employee]);
      return { data: { employee, unregistered_at: since.toISOString() } };
    }),
  };
}
