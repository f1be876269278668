import { statement } from '../../db/statement.ts';

/**
 * Deletes key $2 of owner $1 if claimed at or before $3, and up to ten other expired keys, so the table stays small.
 */
export const deleteOldKeys = statement(
  'mutations_delete_old_keys',
  `delete from request_key
    where claimed_at <= $3
      and ((owner = $1 and key = $2)
           or (owner, key) in (select owner, key from request_key where claimed_at <= $3
                                order by claimed_at limit 10 for update skip locked))`,
);

/**
 * Records a key's first request, or finds it. In both cases it locks the row, so that concurrent requests with one
 * key get one outcome. A blank facility means that the key has no route yet. A repetition of the
 * request sets the route as soon as one exists.
 * $1 owner, $2 key, $3 fingerprint, $4 facility, $5 week_end, $6 now.
 */
export const claimRequestKey = statement(
  'mutations_claim_request_key',
  `insert into request_key as k (owner, key, fingerprint, facility, week_end, claimed_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (owner, key) do update
      set facility = case when k.facility = '' and k.fingerprint = excluded.fingerprint then excluded.facility else k.facility end,
          week_end = case when k.facility = '' and k.fingerprint = excluded.fingerprint then excluded.week_end else k.week_end end
   returning k.fingerprint = $3 as same, k.facility, k.week_end, k.claimed_at`,
);

/** The claim of a key that is not older than $4. $1 owner, $2 key, $3 fingerprint. */
export const findRequestKey = statement(
  'mutations_find_request_key',
  `select fingerprint = $3 as same, facility, week_end, claimed_at
     from request_key where owner = $1 and key = $2 and claimed_at > $4`,
);
