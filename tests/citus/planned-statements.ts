import { join } from 'node:path';
import type pg from 'pg';
import { statementsAmong, type SqlText } from '../house/distributed-sql.ts';
import { readTree } from '../house/source-file.ts';

/** Every statement of the server, by the text that it sends. */
export async function allStatements(): Promise<SqlText[]> {
  const paths = [...readTree().keys()].filter((path) =>
    /^server\/src\/(?!demo\/|host\/)(.*[/-](sql|queries)|db\/shared-counters)\.ts$/.test(path),
  );
  const found = await Promise.all(
    paths.map(async (path) => {
      const file = join(import.meta.dirname, '../..', path);
      const module: unknown = await import(/* @vite-ignore */ file);
      return statementsAmong(module, path);
    }),
  );
  return found.flat();
}

/** A value of each type of the parameters. */
const samples: Readonly<Record<string, string>> = {
  text: '1',
  smallint: '1',
  integer: '1',
  bigint: '1',
  'double precision': '1',
  boolean: 'true',
  'timestamp with time zone': '2026-01-01T00:00:00Z',
  uuid: '00000000-0000-7000-8000-000000000001',
  bytea: '\\x01',
  json: '{}',
  jsonb: '{}',
  interval: '1 s',
  numeric: '1',
  tsquery: 'a',
  name: '1',
};

function sampleOf(type: string): string {
  const element = type.endsWith('[]') ? type.slice(0, -2) : undefined;
  const sample = samples[element ?? type];
  if (sample === undefined) throw new Error(`no sample of type ${type}`);
  return element === undefined ? `'${sample}'` : `'{"${sample.replaceAll('\\', '\\\\')}"}'`;
}

/**
 * Executes a statement with a sample of each parameter, and takes it back. Rows that a table refuses are no fault of the
 * text.
 * @returns the refusal of the distributed planner
 */
export async function refusalOf(client: pg.Client, { name, text }: SqlText): Promise<string | undefined> {
  await client.query('begin');
  try {
    await client.query(`prepare planned as ${text}`);
    const { rows } = await client.query<{ type: string }>(
      `select unnest(parameter_types)::text as type from pg_prepared_statements where name = 'planned'`,
    );
    const values = rows.map(({ type }) => sampleOf(type)).join(', ');
    await client.query(`execute planned${values === '' ? '' : `(${values})`}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    // Class 23: a constraint; 22: a value.
    return /^2[23]/.test(code) || error.message.includes('violates') ? undefined : `${name}: ${code} ${error.message}`;
  } finally {
    await client.query('rollback');
    await client.query('deallocate all');
  }
}
