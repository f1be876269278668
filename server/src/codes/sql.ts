import type { Statement } from '../db/types.ts';

export const loadCodes: Statement = {
  name: 'codes load',
  text: 'select type, code, stop_type from code where active',
};
