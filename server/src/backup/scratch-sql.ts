import { statement } from '../db/statement.ts';

/** The role that initdb has made, by its fixed id: a superuser with any name. */
export const findSuperuser = statement('scratch_find_superuser', 'select rolname as name from pg_roles where oid = 10');
