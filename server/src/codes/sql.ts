import type { Statement } from '../db/types.ts';

export const loadCodes: Statement = {
  name: 'codes load',
  text: 'select type, code, stop_type from code where active',
};

/** One list. $1 type. */
export const loadCodeList: Statement = {
  name: 'codes load list',
  text: `select code, description, category, driver_visible, stop_type, requires_photo, requires_comment, sort
           from code where type = $1 and active
          order by sort, code`,
};
