import type { Mark } from '../../host/reads/marks.ts';
import { statement } from '../../db/statement.ts';

/** Statements for the recorded marks of host polling. */

export const loadMarks = statement('poll_load_marks', `select file, place, born, planned, recorded from host_mark`);

/** $1 places of routes. */
export const loadRouteMarks = statement(
  'poll_load_route_marks',
  `select place, recorded from host_mark where file = 'route' and place = any ($1::text[])`,
);

/** $1 places of the routes that stay. */
export const keepRouteMarks = statement(
  'poll_keep_route_marks',
  `delete from host_mark where file = 'route' and place <> all ($1::text[])`,
);

/** $1 files, $2 places, $3 creators of the rows, $4 digests of the host's columns, $5 of the service's. */
export const saveMarks = statement(
  'poll_save_marks',
  `insert into host_mark (file, place, born, planned, recorded)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
   on conflict (file, place) do update set born = excluded.born, planned = excluded.planned, recorded = excluded.recorded`,
);

/** The values of `saveMarks`. */
export const markColumns = (marks: readonly Mark[]): string[][] => [
  marks.map(({ file }) => file),
  marks.map(({ place }) => place),
  marks.map(({ born }) => born),
  marks.map(({ planned }) => planned),
  marks.map(({ recorded }) => recorded),
];

/** $1 files, $2 places. */
export const dropMarks = statement(
  'poll_drop_marks',
  `delete from host_mark m using unnest($1::text[], $2::text[]) as k (file, place)
    where m.file = k.file and m.place = k.place`,
);
