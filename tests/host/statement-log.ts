import type { TestDatabase } from '../support/postgres.ts';

/** A statement that changes rows of the library, or tries to: also one that matches none. */
export interface LoggedStatement {
  readonly program: string;
  readonly file: string;
  readonly text: string;
}

/**
 * The statement log of the stand-in: every INSERT, UPDATE and DELETE by a program on any file of the library, from now
 * on. Statements of the library's own triggers are left out.
 */
export async function keepStatementLog(
  { pool }: Pick<TestDatabase, 'pool'>,
  library = 'poddta',
): Promise<(program?: string) => Promise<LoggedStatement[]>> {
  await pool.query('create table public.statement_log (n serial, program text, file text, text text)');
  await pool.query(
    `create function public.log_statement() returns trigger language plpgsql security definer as $$ begin
       if pg_trigger_depth() = 1 then
         insert into public.statement_log (program, file, text)
         values (current_setting('application_name'), tg_table_name, current_query());
       end if;
       return null;
     end $$`,
  );
  await triggerOnEach(pool, library, 'log_statement', 'statement');
  return async (program = 'TAILGATE') => {
    const select = 'select program, file, text from public.statement_log where program = $1 order by n';
    return (await pool.query<{ program: string; file: string; text: string }>(select, [program])).rows;
  };
}

/** A row of the library as a program has inserted, changed or deleted it. */
export interface LoggedRow {
  readonly file: string;
  /** By columns in lower case. */
  readonly row: Readonly<Record<string, unknown>>;
}

/** The rows that the service writes from now on: a statement in the log above has marks for its values. */
export async function keepRowLog({ pool }: Pick<TestDatabase, 'pool'>): Promise<() => Promise<LoggedRow[]>> {
  await pool.query('create table public.row_log (n serial, file text, row jsonb)');
  await pool.query(
    `create function public.log_row() returns trigger language plpgsql security definer as $$ begin
       if pg_trigger_depth() = 1 and current_setting('application_name') = 'TAILGATE' then
         insert into public.row_log (file, row) values (tg_table_name, to_jsonb(coalesce(new, old)));
       end if;
       return null;
     end $$`,
  );
  await triggerOnEach(pool, 'poddta', 'log_row', 'row');
  return async () =>
    (
      await pool.query<{ file: string; row: Record<string, unknown> }>(
        'select file, row from public.row_log order by n',
      )
    ).rows;
}

async function triggerOnEach(
  pool: TestDatabase['pool'],
  library: string,
  name: string,
  each: 'row' | 'statement',
): Promise<void> {
  const files = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE'`,
    [library],
  );
  for (const { name: file } of files.rows)
    await pool.query(
      `create trigger ${name} after insert or update or delete on ${library}.${file}
         for each ${each} execute function public.${name}()`,
    );
}
