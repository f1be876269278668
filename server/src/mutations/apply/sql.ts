/**
 * The statements of a batch. Each is one statement for the whole batch over columns (`unnest`), named so that a
 * connection plans it once. Locks are taken clients first, then routes, each sorted by key (I13).
 */
const statement = (name: string, text: string) => ({ name: `mutations ${name}`, text });

export const lockClients = statement(
  'lock clients',
  `select client_id, employee, last_seq, last_hash, last_edit_time, version,
          revoked_at is not null and held_at is null as revoked, held_at is not null as held, reopened_at
     from client where client_id = any($1::uuid[])
    order by client_id for no key update`,
);

/** Routes that another transaction holds are left out; `existingRoutes` tells those from routes that are not there. */
export const lockRoutes = statement(
  'lock routes',
  `select r.facility, r.id, r.week_end, r.epoch, r.version, r.header_version, r.name, r.email_flag, r.withdrawn_at,
          r.status, r.arrived, r.closed_at, r.closed_by, r.late, r.unknown_lines, r.newest_stamp,
          r.autoclose_at, r.forceclose_at
     from unnest($1::text[], $2::text[], $3::text[]) as k (facility, id, week_end)
     join route r using (facility, id, week_end)
    order by r.facility, r.id, r.week_end for no key update of r skip locked`,
);

export const existingRoutes = statement(
  'existing routes',
  `select facility, id, week_end
     from unnest($1::text[], $2::text[], $3::text[]) as k (facility, id, week_end)
     join route r using (facility, id, week_end)`,
);

export const loadDrivers = statement(
  'load drivers',
  `select d.facility, d.route_id, d.week_end, d.employee, coalesce(e.name, '') as name, d.type, d.removed_at is not null as removed
     from unnest($1::text[], $2::text[], $3::text[]) as k (facility, id, week_end)
     join route_driver d on d.facility = k.facility and d.route_id = k.id and d.week_end = k.week_end
     left join employee e on e.id = d.employee
    order by d.seq, d.employee`,
);

const stopColumns =
  'k.n::int as n, s.version, s.doc, p.lines, p.removed_at is not null as removed, p.customer_since, p.lines_since';
const namedStops = `
     from unnest($1::text[], $2::text[], $3::text[], $4::smallint[]) with ordinality as k (facility, route_id, week_end, stop_id, n)
     join stop_result s using (facility, route_id, week_end, stop_id)
     join stop_plan p using (facility, route_id, week_end, stop_id)`;

export const loadStops = statement('load stops', `select ${stopColumns} ${namedStops}`);

/**
 * The same with the changes that are in the ledger at the version of each stop's result, and the stamps that they set: the
 * one that made this version, and whatever came too late to change anything since. A stop comes once for each.
 */
export const loadStopsAndLatest = statement(
  'load stops and latest changes',
  `select ${stopColumns}, l.employee, l.hash, case when l.source <> 'rest' then l.body end as body,
          l.edit_time, coalesce(l.client_id::text, l.source) as client, coalesce(l.seq, l.version) as seq ${namedStops}
     left join ledger l on l.facility = s.facility and l.route_id = s.route_id and l.week_end = s.week_end
                       and l.version = s.version and l.stop_id = s.stop_id and l.result = 'applied'`,
);

export const loadKnown = statement(
  'load known',
  `select l.id, l.hash, l.version, null as code, null as reason, l.warnings, l.received_at
     from unnest($1::text[], $2::uuid[]) as k (facility, id) join ledger l using (facility, id)
    union all
   select q.id, q.hash, null, q.code, q.reason, null, q.received_at
     from quarantine q where q.id = any($2::uuid[]) and q.code <> 'ID_REUSED' and q.state <> 'released'`,
);

export const saveStops = statement(
  'save stops',
  `update stop_result s set version = k.version, status = k.status, doc = k.doc
     from unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::bigint[], $6::text[], $7::text[])
       as k (facility, route_id, week_end, stop_id, version, status, doc)
    where s.facility = k.facility and s.route_id = k.route_id and s.week_end = k.week_end and s.stop_id = k.stop_id`,
);

export const saveLedger = statement(
  'save ledger',
  `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, client_id, seq, prev_hash, hash, employee,
                       captured_at, edit_time, received_at, result, warnings, body)
   select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::bigint[], $7::text[], $8::uuid[],
                        $9::bigint[], $10::bytea[], $11::bytea[], $12::text[], $13::timestamptz[], $14::timestamptz[],
                        $15::timestamptz[], $16::text[], $17::text[], $18::text[])`,
);

export const saveRoutes = statement(
  'save routes',
  `update route r set version = k.version, header_version = k.header_version, status = k.status, arrived = k.arrived,
          closed_at = k.closed_at, closed_by = k.closed_by, late = k.late, autoclose_at = k.autoclose_at,
          forceclose_at = k.forceclose_at, unknown_lines = k.unknown_lines, newest_stamp = k.newest_stamp, changed_at = now()
     from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::boolean[], $8::timestamptz[],
                 $9::text[], $10::int[], $11::timestamptz[], $12::timestamptz[], $13::int[], $14::timestamptz[])
       as k (facility, id, week_end, version, header_version, status, arrived, closed_at, closed_by, late, autoclose_at, forceclose_at,
             unknown_lines, newest_stamp)
    where r.facility = k.facility and r.id = k.id and r.week_end = k.week_end`,
);

export const saveClients = statement(
  'save clients',
  `update client c set last_seq = k.last_seq, last_hash = k.last_hash, last_edit_time = k.last_edit_time, version = k.version,
          last_seen_at = now()
     from unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::timestamptz[], $5::bigint[]) as k (client_id, last_seq, last_hash, last_edit_time, version)
    where c.client_id = k.client_id`,
);

/** Nothing where the entry is there: by its id and hash, or its content from the same author without a queue. */
export const saveQuarantine = statement(
  'save quarantine',
  `insert into quarantine (quarantine_id, id, hash, client_id, seq, client_version, employee, facility, route_id, week_end, stop_id,
                           name, code, reason, details, body, received_at, source, paths, captured_at, edit_time, prev_hash, attempts)
   select *, case when client_id is null then 1 end
     from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::uuid[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[],
                        $10::text[], $11::smallint[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bytea[], $17::timestamptz[], $18::text[],
                        $19::text[], $20::timestamptz[], $21::timestamptz[], $22::bytea[])
       as k (quarantine_id, id, hash, client_id, seq, client_version, employee, facility, route_id, week_end, stop_id,
             name, code, reason, details, body, received_at, source, paths, captured_at, edit_time, prev_hash)
   on conflict do nothing`,
);

/** A database that was put back to an earlier state may know the place from a life that it has forgotten. */
export const saveRepeated = statement(
  'save repeated items',
  `insert into repeated_item (client_id, seq, id, hash, prev_hash)
   select * from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::bytea[], $5::bytea[])
   on conflict (client_id, seq) do update set id = excluded.id, hash = excluded.hash, prev_hash = excluded.prev_hash`,
);

export const saveIncidents = statement(
  'save incidents',
  `insert into incident (incident_id, kind, client_id, employee, details)
   select gen_random_uuid(), * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[])`,
);

/** Routes whose closing timer has run out at $1, the longest overdue first; at most $2. */
export const dueRoutes = statement(
  'due routes',
  `select facility, id, week_end, least(autoclose_at, forceclose_at) as due_at
     from route where least(autoclose_at, forceclose_at) <= $1
    order by due_at limit $2`,
);

/** A hint without content to the other nodes: which scopes have moved. */
export const notify = statement('notify', `select pg_notify('tailgate_routes', $1)`);

/** To the other nodes: the lists of routes of these drivers have changed. $1 employee ids, which hold no spaces. */
export const notifyDrivers = statement(
  'notify drivers',
  `select pg_notify('tailgate_assignments', employee) from unnest($1::text[]) as employee`,
);
