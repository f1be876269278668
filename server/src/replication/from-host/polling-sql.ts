import type { Mark } from '../../host/reads/marks.ts';
import { columns, text } from '../../db/columns.ts';
import { statement } from '../../db/statement.ts';

/** Statements for the recorded marks of host polling. */

export const loadMarks = statement('poll_load_marks', `select file, place, born, planned, recorded from host_mark`);

/** $1 places of routes. */
export const loadRouteMarks = statement(
  'poll_load_route_marks',
  `select place, recorded from host_mark where file = 'route' and place = any ($1::text[])`,
);

/** $1 places of the routes that stay. */
export const deleteOtherRouteMarks = statement(
  'poll_delete_other_route_marks',
  `delete from host_mark where file = 'route' and place <> all ($1::text[])`,
);

type MarkPlace = Pick<Mark, 'file' | 'place'>;

const markPlaces = {
  file: text(({ file }: MarkPlace) => file),
  place: text(({ place }: MarkPlace) => place),
};
const deletedMarks = columns<MarkPlace>(markPlaces);
/** With the creator of a row, and the digests of the host's columns and of the service's. */
const marks = columns<Mark>({
  ...markPlaces,
  born: text(({ born }) => born),
  planned: text(({ planned }) => planned),
  recorded: text(({ recorded }) => recorded),
});

export const saveMarks = marks.statement(
  'poll_save_marks',
  `insert into host_mark (${marks.names}) select * from ${marks.rows}
   on conflict (file, place) do update set born = excluded.born, planned = excluded.planned, recorded = excluded.recorded`,
);

export const deleteMarks = deletedMarks.statement(
  'poll_delete_marks',
  `delete from host_mark m using ${deletedMarks.rows}
    where m.file = k.file and m.place = k.place`,
);
