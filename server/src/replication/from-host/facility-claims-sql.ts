import { statement } from '../../db/statement.ts';

/**
 * Sessions of other cells that hold one of these claims: the lock's first key is the claim, its second one the cell. $1
 * claims.
 */
export const findClaims = statement(
  'import_find_claims',
  `select claim.name as claim, lock.pid, coalesce(session.application_name, '') as session
   from unnest($1::text[]) as claim (name)
   join pg_locks as lock on lock.locktype = 'advisory' and lock.objsubid = 2 and lock.granted
     and lock.classid = (hashtext(claim.name)::bigint & 4294967295)::oid
     and lock.objid <> (hashtext(current_schema())::bigint & 4294967295)::oid
     and lock.database = (select oid from pg_database where datname = current_database())
   left join pg_stat_activity as session on session.pid = lock.pid
   order by claim.name, lock.pid limit 1`,
);
