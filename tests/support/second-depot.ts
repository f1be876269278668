import type { RouteKey } from '@tailgate/sync-protocol';
import type { TestDatabase } from './postgres.ts';

/** A route and its driver. */
export interface DrivenRoute extends RouteKey {
  readonly driver: string;
}

/** Copies a demo route with its driver and stops, as a dispatch program writes them: another depot, or another week. */
export async function copyRoute({ pool }: TestDatabase, from: DrivenRoute, to: DrivenRoute): Promise<void> {
  const files = [
    ['rtdrvp', 'rd'],
    ['rtstpp', 'rs'],
    // The header comes last: it completes the route.
    ['rthdrp', 'rh'],
  ] as const;
  for (const [file, prefix] of files) {
    const driver = file === 'rtdrvp';
    const { rows } = await pool.query<Record<string, unknown>>(
      `select * from poddta.${file} where ${prefix}fac = $1 and ${prefix}rte = $2 and ${prefix}wke = $3
       ${driver ? `and rdemp = '${from.driver}'` : ''}`,
      [from.facility, from.id, from.week_end],
    );
    const key = { [`${prefix}fac`]: to.facility, [`${prefix}rte`]: to.id, [`${prefix}wke`]: to.week_end };
    for (const row of rows) await insertRow(pool, file, { ...row, ...key, ...(driver && { rdemp: to.driver }) });
  }
}

/** Copies a row of a master file. */
export async function copyMaster(
  { pool }: TestDatabase,
  file: 'empmstp' | 'facmstp',
  where: string,
  changes: Record<string, string>,
): Promise<void> {
  const { rows } = await pool.query<Record<string, unknown>>(`select * from poddta.${file} where ${where}`);
  for (const row of rows) await insertRow(pool, file, { ...row, ...changes });
}

async function insertRow(pool: TestDatabase['pool'], file: string, values: Record<string, unknown>): Promise<void> {
  const names = Object.keys(values);
  const places = names.map((_, n) => `$${n + 1}`).join(', ');
  await pool.query(`insert into poddta.${file} (${names.join(', ')}) values (${places})`, Object.values(values));
}
