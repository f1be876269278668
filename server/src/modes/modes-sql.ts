import { columns, text } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { HostMode } from './host-mode.ts';

export interface ModeRow {
  readonly facility: string;
  readonly mode: HostMode;
}

/** The mode of a facility. @param facility an expression of SQL; null has the mode of the default */
export const modeIn = (facility: string): string =>
  `coalesce((select mode from facility_mode where facility = ${facility}), (select mode from facility_mode where facility = ''))`;

/** Whether a facility is not live. */
export const someNotLive = `exists (select from facility_mode where mode <> 'live')`;

export const loadModes = statement('modes_load', 'select facility, mode from facility_mode order by facility');

export const addedModes = columns<ModeRow>(
  { facility: text(({ facility }) => facility), mode: text(({ mode }) => mode) },
  1,
);

/** Deletes modes of other facilities. $1 the facilities that have one. */
export const dropOtherModes = statement(
  'modes_drop_others',
  'delete from facility_mode where facility <> all ($1::text[])',
);

/** $1 now, then the modes. */
export const saveModes = addedModes.statement(
  'modes_save',
  `insert into facility_mode as m (facility, mode, since) select k.facility, k.mode, $1::timestamptz from ${addedModes.rows}
   on conflict (facility) do update set mode = excluded.mode, since = excluded.since where m.mode <> excluded.mode`,
);
