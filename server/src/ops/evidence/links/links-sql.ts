import { statement } from '../../../db/statement.ts';

const shown = `link_id, facility, route_id, week_end, stop_id, customer, from_day, until_day, without, note, created_at,
       created_by, expires_at, taken_at, revoked_at, revoked_by`;

/** Deletes what expired 90 days ago, too. $1 to $14: the columns in their order. */
export const insertLink = statement(
  'evidence_link_insert',
  `with dropped as (delete from evidence_link where expires_at < $12::timestamptz - interval '90 days')
   insert into evidence_link (link_id, secret_hash, facility, route_id, week_end, stop_id, customer, from_day, until_day,
                              without, note, created_at, created_by, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning ${shown}`,
);

const usable = 'taken_at is null and revoked_at is null and expires_at > $2';

/** Those that can be used first: 500 later ones hide none of them. $1 facility, $2 now, $3 route, $4 week, $5 stop; null is any. */
export const listLinks = statement(
  'evidence_link_list',
  `select ${shown} from evidence_link
    where ($1::text is null or facility = $1) and ($3::text is null or (route_id = $3 and week_end = $4))
      and ($5::smallint is null or stop_id is null or stop_id = $5)
    order by (${usable}) desc, created_at desc, link_id limit 500`,
);

/** $1 hash of the secret, $2 now. */
export const findLink = statement(
  'evidence_link_find',
  `select ${shown} from evidence_link where secret_hash = $1 and ${usable}`,
);

/** No row where another request was first. $1 hash of the secret, $2 now. */
export const takeLink = statement(
  'evidence_link_take',
  `update evidence_link set taken_at = $2 where secret_hash = $1 and ${usable} returning link_id`,
);

/** $1 link, $2 now, $3 author. */
export const revokeLink = statement(
  'evidence_link_revoke',
  `update evidence_link set revoked_at = $2, revoked_by = $3 where link_id = $1 and ${usable} returning ${shown}`,
);
