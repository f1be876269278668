import { statement } from '../db/statement.ts';

/** The newest checkpoint of the present generation, and its size at a witness. $1 facility, $2 witness. */
export const readToCosign = statement(
  'log_read_to_cosign',
  `select l.generation, l.epoch, c.note, w.size as cosigned
     from log l
     cross join lateral (select note from log_checkpoint k where k.facility = l.facility and k.generation = l.generation
                          order by k.size desc limit 1) c
     left join log_cosignature w on w.facility = l.facility and w.generation = l.generation and w.witness = $2
    where l.facility = $1 and l.ended_at is null`,
);

/** Keeps the newest cosignature. $1 facility, $2 generation, $3 witness, $4 size, $5 when, $6 line. */
export const saveCosignature = statement(
  'log_save_cosignature',
  `insert into log_cosignature as w (facility, generation, witness, size, cosigned_at, line)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (facility, generation, witness) do update
      set size = excluded.size, cosigned_at = excluded.cosigned_at, line = excluded.line
    where excluded.size >= w.size`,
);

/** The origin of each present generation. */
export const listPresent = statement(
  'log_list_present',
  `select facility, generation, origin from log where ended_at is null order by facility`,
);

/** The present generation of a log. $1 facility. */
export const readPresent = statement(
  'log_read_present',
  `select generation, origin, epoch from log where facility = $1 and ended_at is null`,
);

/** The keys that have signed any log of this server: the database may lack the generation that a witness shows. */
export const listSigningKeys = statement('log_list_signing_keys', 'select distinct key from log_key');
