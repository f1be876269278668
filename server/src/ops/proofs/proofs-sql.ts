import { cellSuffix } from '../../db/cell.ts';
import { statement } from '../../db/statement.ts';

/** One request for a proof of a stop at a time. $1 class, $2 the stop. */
export const lockStop = statement('ops_lock_proofs', `select pg_advisory_xact_lock($1, hashtext($2 || ${cellSuffix}))`);

/** $1 facility, $2 mail, $3 route, $4 week, $5 stop, $6 address, $7 author, $8 now. No row where the id is in use. */
export const insertProof = statement(
  'ops_insert_proof',
  `insert into proof_mail (facility, mail_id, route_id, week_end, stop_id, address, by, asked_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning mail_id`,
);
