import type { Db, Queryable } from '../../server/src/db/types.ts';
import { withTransaction } from '../../server/src/db/transaction.ts';

/** The schemas of the service and of its queue. The host's library is in the same database, and is no part of a backup. */
const SCHEMAS = ['public', 'pgboss'];

interface Table {
  readonly place: string;
  readonly columns: string;
  readonly copy: string;
}

/** Whole tables, partitions within their parent. A generated column has no value of its own. */
const listTables = `
  select format('%I.%I', n.nspname, c.relname) as place,
         format('backup.%I', n.nspname || '.' || c.relname) as copy,
         (select string_agg(format('%I', a.attname), ', ' order by a.attnum) from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition
   order by place`;

const saveSequences = `
  create table backup.sequences as
  select format('%I.%I', schemaname, sequencename) as place, coalesce(last_value, start_value) as value,
         last_value is not null as is_called
    from pg_sequences where schemaname in ('public', 'pgboss')`;

/** Copies the service's tables within their database, in place of an earlier copy. */
export async function backUp(db: Db): Promise<void> {
  await withTransaction(db, async (tx) => {
    await tx.query('drop schema if exists backup cascade');
    await tx.query('create schema backup');
    for (const { place, columns, copy } of await tables(tx))
      await tx.query(`create table ${copy} as select ${columns} from ${place}`);
    await tx.query(saveSequences);
  });
}

/** Gives the service's tables the content of the copy, as a dump that is restored in the same PostgreSQL. */
export async function putBack(db: Db): Promise<void> {
  await withTransaction(db, async (tx) => {
    // Neither triggers nor foreign keys: the copy has their effects.
    await tx.query('set local session_replication_role = replica');
    const all = await tables(tx);
    await tx.query(`truncate ${all.map(({ place }) => place).join(', ')}`);
    for (const { place, columns, copy } of all)
      await tx.query(`insert into ${place} (${columns}) overriding system value select ${columns} from ${copy}`);
    await tx.query('select setval(place::regclass, value, is_called) from backup.sequences');
  });
}

const tables = async (db: Queryable): Promise<Table[]> =>
  (await db.query<Table & Record<string, unknown>>(listTables, [SCHEMAS])).rows;
