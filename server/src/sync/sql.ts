import type { HelloFrame, RouteKey } from '@tailgate/sync-protocol';
import { bytea, columns, instant, int4, int8, text, uuid } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { Boot } from './device-clock.ts';

/** The epoch of this database (I9); 1 before any declared restore. */
export const readEpoch = statement('sync_read_epoch', 'select coalesce(max(epoch), 1) as epoch from server_epoch');

const sameRoute = (table: string): string =>
  `${table}.facility = r.facility and ${table}.route_id = r.id and ${table}.week_end = r.week_end`;
const ofPlan = sameRoute('p');
const ofResult = sameRoute('s');
const ofParked = sameRoute('k');
const ofEvidence = sameRoute('e');
const ofDriver = sameRoute('d');

/** The facts of a route beside plans and results, for `routes/header.ts`; `r` is `route`. */
const headerFacts = `json_build_object(
  'name', r.name, 'withdrawn', r.withdrawn_at is not null, 'email_flag', r.email_flag, 'status', r.status,
  'arrived', r.arrived, 'closed_at', r.closed_at, 'closed_by', r.closed_by,
  'autoclose_at', r.autoclose_at, 'forceclose_at', r.forceclose_at,
  'drivers', (select coalesce(json_agg(json_build_object('id', d.employee, 'name', coalesce(e.name, ''), 'type', d.type,
                                                   'removed', d.removed_at is not null) order by d.seq, d.employee), '[]')
          from route_driver d left join employee e on e.id = d.employee where ${ofDriver}))`;

const routeFacts = `json_build_object(
  'epoch', r.epoch, 'header_version', r.header_version, 'hosted_through', r.hosted_through,
  'shadow_through', r.shadow_through,
  'parked', (select coalesce(json_agg(json_build_object('stop', k.stop_id, 'reason', k.reason) order by k.stop_id), '[]')
         from parked k where ${ofParked}),
  'awaited', (select coalesce(json_agg(distinct e.stop_id order by e.stop_id), '[]') from missing_evidence e where ${ofEvidence}),
  'header', case when r.header_version > a.header_above then ${headerFacts} end)`;

/** A route, and the versions above which a reader asks for documents, for the header, and for texts. */
interface RequestedRoute {
  readonly key: RouteKey;
  readonly request: { readonly above: number; readonly headerAbove: number; readonly textsAbove: number };
}

const requestedRoutes = columns<RequestedRoute>({
  facility: text(({ key }) => key.facility),
  id: text(({ key }) => key.id),
  week_end: text(({ key }) => key.week_end),
  above: int8(({ request }) => request.above),
  header_above: int8(({ request }) => request.headerAbove),
  texts_above: int8(({ request }) => request.textsAbove),
});

/**
 * Many routes in one statement, so that all rows are of one moment (I3): one row for each route, and one for each
 * document above a version. Texts come only above another version. Unpublished routes are absent.
 */
export const readRoutes = requestedRoutes.statement(
  'sync_read_routes',
  `with asked as (
     select a.*, r.version from ${requestedRoutes.unnest} with ordinality as a (${requestedRoutes.names}, n)
       join route r using (facility, id, week_end) where r.published_at is not null
   )
   select a.n::int as n, 'route' as kind, null::smallint as stop, r.version, false as removed, ${routeFacts}::text as doc
     from asked a join route r using (facility, id, week_end)
    union all
   select r.n::int, 'plan', p.stop_id, p.version, p.removed_at is not null,
          case when p.version > r.texts_above and p.removed_at is null then p.doc end
     from asked r join stop_plan p on ${ofPlan} and p.version > r.above where r.version > r.above
    union all
   select r.n::int, 'result', s.stop_id, s.version, false, case when s.version > r.texts_above then s.doc end
     from asked r join stop_result s on ${ofResult} and s.version > r.above where r.version > r.above`,
);

/** The answers to a queue that a person must read, the newest of each mutation. $1 client ids, $2 above. */
export const readClients = statement(
  'sync_read_clients',
  `select a.n::int as n, c.version, q.id, q.client_version, q.state, q.code, q.reason, q.version as applied_as, q.note, q.resolved_by
     from unnest($1::uuid[], $2::bigint[]) with ordinality as a (client_id, above, n)
     join client c using (client_id)
     left join lateral (
       select distinct on (id) id, client_version, state, code, reason, version, note, resolved_by
         from quarantine where client_id = c.client_id and client_version > a.above
        order by id, client_version desc
     ) q on true`,
);

/** The code lists, where their version is above $2. $1 scope. */
export const readCodes = statement(
  'sync_read_codes',
  `select v.version, c.type, c.code, c.description, c.category, c.driver_visible, c.stop_type, c.requires_photo,
          c.requires_comment, c.sort
     from (select coalesce((select version from scope_version where scope = $1), 0) as version) v
     left join code c on c.active and v.version > $2
    order by c.type, c.sort, c.code`,
);

/** $1 client ids. */
export const findClients = statement(
  'sync_find_clients',
  `select client_id, employee, queue_key_hash, last_seq, revoked_at, held_at, session_hash, boot_id
     from client left join queue_session using (client_id) where client_id = any ($1::uuid[])`,
);

/** Revoked queues, without held ones. $1 client ids. */
export const findRevoked = statement(
  'sync_find_revoked',
  `select client_id from client
    where client_id = any ($1::uuid[]) and revoked_at is not null and held_at is null`,
);

/**
 * Whether the session of `k` is valid. The row is locked, so that the end of the session finds the tied queue. An
 * operator has none.
 */
const hasSession = `(k.session_hash is null or exists (
      select from session s where s.token_hash = k.session_hash and s.revoked_at is null for key share))`;

const asTied = 'session_hash = excluded.session_hash, boot_id = excluded.boot_id, boot_at = excluded.boot_at';

/** A queue that the first frame of its client opens. */
interface OpenedClient extends Pick<HelloFrame, 'client_id' | 'employee_id' | 'device' | 'sdk' | 'app'> {
  readonly session?: Buffer | null;
  readonly boot?: Boot | null;
}

const ties = {
  session_hash: bytea(({ session }: OpenedClient) => session ?? null),
  boot_id: text(({ boot }: OpenedClient) => boot?.id ?? null),
  boot_at: instant(({ boot }: OpenedClient) => boot?.at ?? null),
};

const newClients = columns<OpenedClient & { readonly keyHash: Buffer }>({
  client_id: uuid((client) => client.client_id),
  employee: text((client) => client.employee_id),
  device: text(({ device }) => device),
  sdk: text(({ sdk }) => sdk),
  app: text(({ app }) => app),
  queue_key_hash: bytea(({ keyHash }) => keyHash),
  ...ties,
});

/** The first use binds a queue to its employee; a second one finds it bound. The columns, then $10 now. */
export const bindClients = newClients.statement(
  'sync_bind_clients',
  `with k as materialized (
     select * from ${newClients.rows} where ${hasSession}
   ), bound as (
     insert into client (client_id, employee, device, sdk, app, queue_key_hash, created_at)
     select client_id, employee, device, sdk, app, queue_key_hash, $10::timestamptz from k
      order by client_id
         on conflict (client_id) do nothing
     returning client_id
   ), tied as (
     insert into queue_session (client_id, session_hash, boot_id, boot_at)
     select client_id, session_hash, boot_id, boot_at from k join bound using (client_id)
      order by client_id
         on conflict (client_id) do update set ${asTied}
   )
   select client_id from bound`,
);

/** Locks the queues $1 in the order of the batches. An update alone would lock them in any order (I13). */
const lockedClients = `locked as materialized (
     select client_id from client where client_id = any ($1::uuid[]) order by client_id for no key update
   )`;

const newKeys = columns<{ readonly client_id: string; readonly keyHash: Buffer }>({
  client_id: uuid((client) => client.client_id),
  queue_key_hash: bytea(({ keyHash }) => keyHash),
});

export const replaceQueueKeys = newKeys.statement(
  'sync_replace_queue_keys',
  `with ${lockedClients}
   update client c set queue_key_hash = k.queue_key_hash
     from locked join ${newKeys.rows} using (client_id)
    where c.client_id = locked.client_id`,
);

const tiedClients = columns<OpenedClient>({ client_id: uuid((client) => client.client_id), ...ties });

/**
 * Ties queues to the session and the clock run of their phones. A held queue of an unregistered driver opens for new
 * items. A hello of any other queue does not wait for its batches. `k` locks held queues before sessions, in the order
 * of unregistering (I13). The columns, then $5 now.
 */
export const tieClients = tiedClients.statement(
  'sync_tie_clients',
  `with locked as materialized (
     select client_id from client
      where client_id = any ($1::uuid[]) and held_at is not null and revoked_at is not null
      order by client_id for no key update
   ), k as materialized (
     select * from ${tiedClients.rows}
      where (select count(*) from locked) >= 0
   ), tied as (
     insert into queue_session (client_id, session_hash, boot_id, boot_at)
     select client_id, session_hash, boot_id, boot_at from k where ${hasSession}
      order by client_id
         on conflict (client_id) do update set ${asTied}
     returning client_id
   ), opened as (
     update client c set reopened_at = $5, revoked_at = null, revoked_by = null, revoke_reason = null
       from locked join tied using (client_id)
      where c.client_id = locked.client_id
   )
   select client_id from tied`,
);

/** The latest report of a phone. A ping omits the device and its software. */
export interface PhoneReport extends Partial<Pick<HelloFrame, 'device' | 'sdk' | 'app'>> {
  readonly clientId: string;
  readonly pending: number;
  readonly oldestPendingAt: Date | null;
  /** Undefined where the app does not report its files. */
  readonly pendingFiles?: number | undefined;
  readonly pendingBytes?: number | undefined;
  readonly oldestFileAt?: Date | null | undefined;
  readonly seenAt: Date;
  readonly clockReadAt?: Date | undefined;
}

const reports = columns<PhoneReport>({
  client_id: uuid(({ clientId }) => clientId),
  pending: int4(({ pending }) => pending),
  oldest_pending_at: instant(({ oldestPendingAt }) => oldestPendingAt),
  device: text(({ device }) => device ?? null),
  sdk: text(({ sdk }) => sdk ?? null),
  app: text(({ app }) => app ?? null),
  seen_at: instant(({ seenAt }) => seenAt),
  clock_read_at: instant(({ clockReadAt }) => clockReadAt ?? null),
  pending_files: int4(({ pendingFiles }) => pendingFiles ?? null),
  pending_bytes: int8(({ pendingBytes }) => pendingBytes ?? null),
  oldest_file_at: instant(({ oldestFileAt }) => oldestFileAt ?? null),
});

/** The reports of phones; null where a ping omits a field. */
export const saveDeviceStatus = reports.statement(
  'sync_save_device_status',
  `with ${lockedClients}
   update client c set pending = k.pending, oldest_pending_at = k.oldest_pending_at, device = coalesce(k.device, c.device),
          sdk = coalesce(k.sdk, c.sdk), app = coalesce(k.app, c.app), last_seen_at = k.seen_at,
          clock_read_at = coalesce(k.clock_read_at, c.clock_read_at), pending_files = k.pending_files,
          pending_bytes = k.pending_bytes, oldest_file_at = k.oldest_file_at
     from locked join ${reports.rows} using (client_id)
    where c.client_id = locked.client_id`,
);

/**
 * Moves the watermark past items that a phone has lost, and records an incident. It does nothing where the range does
 * not begin at the next item, or ends beyond what the phone can have sealed. One row: the last sequence that the phone
 * can have sealed, counted from the last received item. The incident names no item that a copy of the phone has sent. $1
 * client, $2 employee, $3 from, $4 to, $5 the reason as JSON, $6 most items.
 */
export const skipLostItems = statement(
  'sync_skip_lost_items',
  `with asked as (
     select client_id, last_seq,
            case when last_hash is null and last_seq > 0 then coalesce(gone_after, last_seq) else last_seq end as last_received
       from client where client_id = $1 for no key update
   ), moved as (
     update client c set last_seq = $4, last_hash = null, gone_after = a.last_received
       from asked a
      where c.client_id = a.client_id and a.last_seq + 1 >= $3 and a.last_seq < $4 and $4 <= a.last_received + $6
     returning a.last_seq + 1 as first_lost
   ), reported as (
     insert into incident (incident_id, kind, client_id, employee, details)
     select gen_random_uuid(), 'items_gone', $1, $2, format('{"from":%s,"to":%s,"reason":%s}', first_lost, $4::bigint, $5::text)
       from moved
   )
   select greatest(last_seq, last_received + $6) as max from asked`,
);
