import { statement } from '../../db/statement.ts';

/** Replaces the load before. $1 time, $2 routes left, $3 counts as JSON. */
export const beginLoad = statement(
  'first_load_begin',
  `insert into first_load (started_at, updated_at, ended_at, routes_left, counts) values ($1, $1, null, $2, $3)
   on conflict (only_row) do update set started_at = excluded.started_at, updated_at = excluded.updated_at,
     ended_at = null, routes_left = excluded.routes_left, counts = excluded.counts`,
);

/** $1 time, $2 routes left. */
export const noteLoad = statement(
  'first_load_note',
  'update first_load set updated_at = $1, routes_left = $2 where ended_at is null',
);

/** $1 time. */
export const endLoad = statement(
  'first_load_end',
  'update first_load set updated_at = $1, ended_at = $1, routes_left = 0 where ended_at is null',
);

export const readLoad = statement(
  'first_load_read',
  'select started_at, updated_at, ended_at, routes_left, counts from first_load',
);
