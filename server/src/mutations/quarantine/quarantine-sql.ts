const statement = (name: string, text: string) => ({ name: `quarantine ${name}`, text });

/** $1 quarantine id. What came before these columns has no source and no times: by a queue, or by REST. */
export const findKept = statement(
  'find',
  `select id, hash, body, name, employee, client_id, seq, prev_hash, captured_at, edit_time, received_at, state,
          coalesce(source, case when client_id is null then 'rest' else 'sync' end) as source,
          coalesce(paths, 'current') as paths
     from quarantine where quarantine_id = $1`,
);

/** Entries of these authors with these contents that are not released. $1 sources, $2 authors, $3 hashes. */
export const loadRefused = statement(
  'load refused',
  `select q.quarantine_id, q.id, q.source, q.employee, q.hash
     from unnest($1::text[], $2::text[], $3::bytea[]) as k (source, employee, hash)
     join quarantine q using (source, employee, hash)
    where q.attempts is not null and q.code <> 'ID_REUSED' and q.state <> 'released'`,
);

/**
 * Contents that came again and were refused again. They count as of their latest receipt, by its rules. $1 quarantine ids,
 * $2 how many times, $3 when last, $4 edit times, $5 path sets, $6 codes, $7 reasons, $8 details.
 */
export const countRepeated = statement(
  'count repeated',
  `update quarantine q
      set attempts = q.attempts + k.attempts, last_received_at = k.last_received_at,
          edit_time = greatest(q.edit_time, k.edit_time), paths = k.paths, code = k.code, reason = k.reason, details = k.details
     from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[])
       as k (quarantine_id, attempts, last_received_at, edit_time, paths, code, reason, details)
    where q.quarantine_id = k.quarantine_id and q.state <> 'released'`,
);

/**
 * Kept mutations that are applied now, each to be known by its phone as well: the scope of its queue rises, and all nodes
 * hear of it. $1 mutation ids, $2 who let them go, $3 their words, $4 the route versions that contain them.
 */
export const releaseKept = statement(
  'release',
  `with applied as (
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) as k (id, by, note, version)
   ), waiting as (
     select q.quarantine_id, q.client_id, k.by, k.note, k.version
       from quarantine q join applied k using (id)
      where q.code <> 'ID_REUSED' and q.state <> 'released'
   ), told as (
     update client set version = client.version + 1
      where client_id in (select client_id from waiting)
     returning client_id, version
   ), released as (
     update quarantine q
        set state = 'released', resolved_at = now(), resolved_by = w.by, note = w.note, version = w.version,
            client_version = coalesce(t.version, q.client_version)
       from waiting w left join told t on t.client_id = w.client_id
      where q.quarantine_id = w.quarantine_id
   )
   select pg_notify('tailgate_routes', 'client:' || client_id) from told`,
);

/** $1 quarantine id, $2 who, $3 why. What was released stays so. */
export const dismissKept = statement(
  'dismiss',
  `with told as (
     update client set version = client.version + 1
      where client_id = (select client_id from quarantine where quarantine_id = $1 and state <> 'released')
     returning client_id, version
   ), dismissed as (
     update quarantine set state = 'dismissed', resolved_at = now(), resolved_by = $2, note = $3,
            client_version = coalesce((select version from told), client_version)
      where quarantine_id = $1 and state <> 'released'
   )
   select pg_notify('tailgate_routes', 'client:' || client_id) from told`,
);
