import { statement } from '../db/statement.ts';

export const loadCodes = statement('codes_load', 'select type, code, stop_type from code where active');

/** One list. $1 type. */
export const loadCodeList = statement(
  'codes_load_list',
  `select code, description, category, driver_visible, stop_type, requires_photo, requires_comment, sort
     from code where type = $1 and active
    order by sort, code`,
);
