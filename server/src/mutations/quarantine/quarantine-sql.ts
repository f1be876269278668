import { notifyRoutes } from '../../db/notify-sql.ts';
import { bytea, columns, instant, int4, int8, text, uuid } from '../../db/columns.ts';
import { statement } from '../../db/statement.ts';
import type { Decision, Fault, Item } from '../change.ts';

/** $1 quarantine id. Rows older than these columns have no source: it follows from the queue. */
export const findQuarantined = statement(
  'quarantine_find',
  `select id, hash, body, name, employee, client_id, seq, prev_hash, captured_at, edit_time, received_at,
          coalesce(source, case when client_id is null then 'rest' else 'sync' end) as source,
          coalesce(paths, 'current') as paths
     from quarantine where quarantine_id = $1`,
);

/** The hash of a content that came without a queue, and its author. */
export interface AuthoredContent {
  readonly source: string;
  readonly author: string;
  readonly hash: Buffer;
}

const contents = columns<AuthoredContent>({
  source: text(({ source }) => source),
  employee: text(({ author }) => author),
  hash: bytea(({ hash }) => hash),
});

/** Entries of these authors with these contents that are not released. */
export const loadRefused = contents.statement(
  'quarantine_load_refused',
  `select q.quarantine_id, q.id, q.source, q.employee, q.hash
     from ${contents.rows}
     join quarantine q using (source, employee, hash)
    where q.attempts is not null and q.code <> 'ID_REUSED' and q.state <> 'released'`,
);

/** A content that came again, `attempts` times in this batch; the rest is of its latest receipt. */
export interface RepeatedRefusal {
  readonly quarantineId: string;
  readonly attempts: number;
  readonly item: Item;
  readonly fault: Fault;
  /** Null where no edit time could be read. */
  readonly editTime: number | null;
}

const repeated = columns<RepeatedRefusal>({
  quarantine_id: uuid(({ quarantineId }) => quarantineId),
  attempts: int4(({ attempts }) => attempts),
  last_received_at: instant(({ item }) => item.receivedAt),
  edit_time: instant(({ editTime }) => editTime),
  paths: text(({ item }) => item.paths),
  code: text(({ fault }) => fault.code),
  reason: text(({ fault }) => fault.reason),
  details: text(({ fault }) => JSON.stringify(fault.details)),
});

/** Counts contents that came again and were refused again. Their latest receipt and its rules count. */
export const countRepeated = repeated.statement(
  'quarantine_count_repeated',
  `update quarantine q
      set attempts = q.attempts + k.attempts, last_received_at = k.last_received_at,
          edit_time = greatest(q.edit_time, k.edit_time), paths = k.paths, code = k.code, reason = k.reason, details = k.details
     from ${repeated.rows}
    where q.quarantine_id = k.quarantine_id and q.state <> 'released'`,
);

/** A quarantined mutation that a batch has applied, and by whose decision. */
export interface Release extends Decision {
  /** The id under which the quarantine has it. */
  readonly id: string;
  /** The route version that contains it; null for a report. */
  readonly version: number | null;
}

const releases = columns<Release>({
  id: uuid(({ id }) => id),
  by: text(({ by }) => by),
  note: text(({ note }) => note),
  version: int8(({ version }) => version),
});

/** Marks entries as released. The scope of each entry's queue rises, so that its phone receives the result from any node. */
export const markReleased = releases.statement(
  'quarantine_release',
  `with applied as (
     select * from ${releases.rows}
   ), waiting as (
     select q.quarantine_id, q.client_id, k.by, k.note, k.version
       from quarantine q join applied k using (id)
      where q.code <> 'ID_REUSED' and q.state <> 'released'
   ), raised as (
     update client set version = client.version + 1
      where client_id in (select client_id from waiting)
     returning client_id, version
   ), released as (
     update quarantine q
        set state = 'released', resolved_at = now(), resolved_by = w.by, note = w.note, version = w.version,
            client_version = coalesce(t.version, q.client_version)
       from waiting w left join raised t on t.client_id = w.client_id
      where q.quarantine_id = w.quarantine_id
   )
   select 'client:' || client_id as scope from raised`,
);

/** $1 the scope of a queue. */
export const notifyQueue = statement('quarantine_notify', notifyRoutes);

/** A released entry stays released. $1 quarantine id, $2 by whom, $3 note. */
export const dismissEntry = statement(
  'quarantine_dismiss',
  `with raised as (
     update client set version = client.version + 1
      where client_id = (select client_id from quarantine where quarantine_id = $1 and state <> 'released')
     returning client_id, version
   ), dismissed as (
     update quarantine set state = 'dismissed', resolved_at = now(), resolved_by = $2, note = $3,
            client_version = coalesce((select version from raised), client_version)
      where quarantine_id = $1 and state <> 'released'
   )
   select 'client:' || client_id as scope from raised`,
);
