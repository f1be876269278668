import { createHash } from 'node:crypto';
import type { Evidence } from './evidence.ts';
import { FACILITY, routesOf } from './fixture.ts';
import { members } from './members.ts';

interface LoggedRow {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly body: string;
  readonly entries: readonly string[];
  /** As a leaf must say it. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Each row of the ledger, and each confirmation of the host, has one leaf that says the same; no leaf is about another change. */
export async function wrongLeaves({ db, seed, drivers }: Evidence): Promise<string[]> {
  const routes = routesOf(seed).map(({ id }) => id);
  const ledger = await db.query<LoggedRow>(
    `select l.id, l.body,
            array(select f.entry from log_leaf f where f.facility = l.facility and f.kind = 'mutation' and f.source = l.id::text) as entries,
            jsonb_build_object('id', l.id, 'hash', encode(l.hash, 'hex'), 'prev_hash', encode(l.prev_hash, 'hex'),
              'client', l.client_id, 'seq', l.seq, 'source', l.source, 'version', l.version, 'result', l.result)
            || case when l.route_id = '' then '{}' else
                 jsonb_build_object('route', l.route_id, 'week_end', l.week_end, 'stop', l.stop_id) end as fields
       from ledger l where l.facility = $1 and l.route_id = any($2) or l.facility = '' and l.employee = any($3)`,
    [FACILITY, routes, drivers.map(({ employee }) => employee)],
  );
  const wrong = ledger.rows.flatMap(({ id, body, entries, fields }) => {
    const [entry] = entries;
    if (entry === undefined || entries.length > 1) return [`${id} has ${entries.length} leaves in the log`];
    const leaf = members(JSON.parse(entry), 'leaf');
    const hash = createHash('sha256').update(body).digest('hex');
    const expected = Object.entries({ ...fields, hash });
    return expected
      .filter(([name, value]) => leaf[name] !== value)
      .map(([name, value]) => `the leaf of ${id} has ${name} ${String(leaf[name])}, not ${value}`);
  });
  const strangers = await db.query<{ source: string }>(
    `select f.source from log_leaf f
      where f.facility = $1 and f.kind = 'mutation' and f.entry::jsonb->>'route' = any($2)
        and f.generation = (select max(g.generation) from log g where g.facility = $1)
        and not exists (select from ledger l where l.facility = $1 and l.id::text = f.source)`,
    [FACILITY, routes],
  );
  const unconfirmed = await db.query<{ stop_id: number; sequence: string }>(
    `select h.stop_id, h.sequence from host_shadow h
      where h.facility = $1 and h.route_id = any($2) and h.stop_id <> -1
        and not exists (select from log_leaf f where f.facility = $1 and f.kind = 'host'
                                                 and f.source = concat_ws('/', h.route_id, h.week_end, h.stop_id, h.sequence))`,
    [FACILITY, routes],
  );
  return [
    ...wrong,
    ...strangers.rows.map(({ source }) => `the log has a leaf of ${source}, which the ledger does not have`),
    ...unconfirmed.rows.map(
      ({ stop_id, sequence }) => `the log lacks the host's confirmation ${sequence} of stop ${stop_id}`,
    ),
  ];
}
