import type { Diagnosis } from '../doctor/examine.ts';
import { hostFile, hostFileNames, type HostFileName } from '../files/tables.ts';
import { namesOn } from '../files/library-map.ts';
import { putRows } from '../files/statements.ts';
import { HostError, type Host } from '../host.ts';
import { cases, type Case, type Ground } from './cases.ts';
import { noRoute, sendEveryStatement } from './every-statement.ts';
import { StatementRun, type RefusedStatement } from './statement-run.ts';

// `ops -- doctor --exercise`: the field kit. It tries what the service relies on in a library for tests, and leaves nothing
// there.

export interface CaseResult {
  readonly name: string;
  /** Undefined: as the service needs it. */
  readonly fault: string | undefined;
  /** A fault with which the service goes on. */
  readonly isTolerated: boolean;
  readonly ms: number;
}

/** The file that comes back from a host: no secret, and no row of the office. */
export interface ExerciseReport {
  /** ISO 8601. */
  readonly at: string;
  readonly service: string;
  readonly dialect: string;
  readonly library: string;
  readonly job: { readonly ccsid: number; readonly user: string } | undefined;
  readonly passed: boolean;
  readonly cases: readonly CaseResult[];
  readonly statements: { readonly sent: number; readonly refused: readonly RefusedStatement[] };
  /** Rows that could not be removed, by file. */
  readonly left: readonly string[];
  readonly diagnosis: Diagnosis;
}

export interface ExerciseOptions extends Ground {
  readonly now: () => Date;
  readonly service: string;
  /** The doctor's findings in the same library. */
  readonly examine: () => Promise<Diagnosis>;
}

/** @throws HostError where the host is away */
export async function exercise(options: ExerciseOptions): Promise<ExerciseReport> {
  const { host, clerk, now, service, examine } = options;
  const at = now().toISOString();
  await sweep(clerk);
  const results: CaseResult[] = [];
  const run = new StatementRun(host);
  let left: string[] = [];
  try {
    for (const one of cases) results.push(await resultOf(one, options));
    // An open route, so that each read of a route's files is sent.
    results.push(await resultOf({ name: 'a dispatch program adds a route', run: () => addRoute(clerk) }, options));
    await sendEveryStatement(run.asHost());
  } finally {
    left = await sweep(clerk);
  }
  const job = await host.ping().then(
    ({ ccsid, user }) => ({ ccsid, user }),
    () => undefined,
  );
  const diagnosis = await examine();
  const passed = failed(results).length === 0 && run.refused.length === 0 && left.length === 0;
  const statements = { sent: run.count, refused: run.refused };
  return {
    at,
    service,
    dialect: host.dialect,
    library: host.library,
    job,
    passed,
    cases: results,
    statements,
    left,
    diagnosis,
  };
}

const failed = (results: readonly CaseResult[]) =>
  results.filter(({ fault, isTolerated }) => fault !== undefined && !isTolerated);

async function resultOf({ name, isTolerated = false, run }: Case, options: ExerciseOptions): Promise<CaseResult> {
  const start = options.now().getTime();
  const result = (fault: string | undefined): CaseResult => {
    const ms = options.now().getTime() - start;
    return { name, fault, isTolerated, ms };
  };
  try {
    await run(options);
    return result(undefined);
  } catch (error) {
    if (error instanceof HostError && error.sqlstate.startsWith('08')) throw error;
    return result(error instanceof HostError ? `${error.sqlstate} ${error.message}` : String(error));
  }
}

async function addRoute(clerk: Host): Promise<void> {
  const { sql, bind } = putRows(clerk, 'RTHDRP', ['RHNAM'], 1);
  const row = { RHFAC: noRoute.facility, RHRTE: noRoute.id, RHWKE: noRoute.week_end, RHNAM: 'exercise' } as const;
  const stamp = { user: 'TAILGATE', program: 'EXERCISE', date: '20000101', time: '101010' };
  await clerk.transaction((tx) => tx.execute(sql, bind({ rows: [row], stamp })));
}

/** Removes the rows of the exercise, and nothing else. @returns the files in which that failed */
async function sweep(clerk: Host): Promise<string[]> {
  const left: string[] = [];
  for (const name of hostFileNames) {
    const where = whereOurs(clerk, name);
    if (where === undefined) continue;
    try {
      await clerk.transaction((tx) => tx.execute(`delete from ${namesOn(clerk).table(name)} where ${where}`));
    } catch (error) {
      if (!(error instanceof HostError) || error.sqlstate.startsWith('08')) throw error;
      left.push(`${name}: ${error.sqlstate} ${error.message}`);
    }
  }
  return left;
}

/** The condition for rows of the exercise: by the route, by the first text of the key, or the lines about both. */
function whereOurs(host: Host, name: HostFileName): string | undefined {
  const { map, column } = namesOn(host);
  if (name === 'PODCHGP') {
    const facility = map.definition('RHFAC');
    const width = facility.kind === 'char' ? facility.length : 0;
    return `${column('CHKEY')} like '${noRoute.facility.padEnd(width)}${noRoute.id} %'`;
  }
  const { key, prefix } = hostFile(name);
  const [first, second] = Object.keys(key);
  if (first === undefined) return undefined;
  const isRoute = second === `${prefix}RTE`;
  return `${column(first)} = '${noRoute.facility}'${isRoute ? ` and ${column(second)} = '${noRoute.id}'` : ''}`;
}

/** A line for each case that failed, and the sum. */
export function printedExercise({ cases: results, statements, left, passed, library }: ExerciseReport): string {
  const faults = results.flatMap(({ name, fault, isTolerated }) =>
    fault === undefined ? [] : [`${isTolerated ? 'NOTE  ' : 'FAILED'}   ${name}: ${fault}`],
  );
  const refused = statements.refused.map(
    ({ sqlstate, message, sql }) => `REFUSED  ${sqlstate} ${message}: ${sql.slice(0, 200)}`,
  );
  const rest = left.map((line) => `LEFT     ${line}`);
  const sum = `${passed ? 'PASSED' : 'FAILED'}: ${results.length} cases, ${failed(results).length} failed; ${statements.sent} statements, ${refused.length} refused, in ${library}`;
  return [...faults, ...refused, ...rest, sum].join('\n');
}
