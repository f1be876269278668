import { statement } from '../db/statement.ts';

/** The newest restore drill, and the newest one that succeeded. */
export const newestDrills = statement(
  'machine_newest_drills',
  `select max(at) as last_at, max(at) filter (where ok) as good_at,
          (array_agg(ok order by at desc))[1] as last_ok
     from restore_drill`,
);
