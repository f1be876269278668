import { LibraryMap } from '../files/library-map.ts';
import { selectColumns } from '../files/statements.ts';
import { hostFileNames, type HostFileName } from '../files/tables.ts';
import { HostError, type Host, type HostColumn, type HostRow } from '../host.ts';
import { authorityProbes, probesOf } from './authorities.ts';
import { factQueries } from './fact-queries.ts';
import { sampleText } from '../files/ccsid.ts';
import { type AuthorityFact, type HostFacts, type Reading } from './facts.ts';

export interface ReadOptions {
  readonly now: () => Date;
  /** `short`: without the authorities, which are about a hundred statements. */
  readonly form: 'full' | 'short';
  /** SHADOW_LIBRARY */
  readonly shadowLibrary?: string | undefined;
}

type Files = ReadonlyMap<HostFileName, readonly HostColumn[] | undefined>;

/**
 * Asks the host, one question after the other: on Db2 each connection is a process, and replication needs them. A question
 * that the host refuses leaves one fact open. @throws HostError where the host is away
 */
export async function readFacts(host: Host, { now, form, shadowLibrary }: ReadOptions): Promise<HostFacts> {
  const { dialect, library } = host;
  // With the columns of later layouts: the doctor finds what is missing.
  const map = host.map.without([]);
  const queries = factQueries[dialect];
  const rows = <Value>(sql: string, read: (rows: readonly HostRow[]) => Value, ...parameters: string[]) =>
    reading(async () => read(await host.query(sql, parameters)));
  const perhaps = async <Value>(
    sql: string | undefined,
    read: (rows: readonly HostRow[]) => Value,
    ...parameters: string[]
  ) => (sql === undefined ? undefined : rows(sql, read, ...parameters));
  const job = await reading(() => host.ping());
  const files = await reading(() => readFiles(host));
  return {
    dialect,
    library,
    map,
    job,
    files,
    triggers: await rows(
      queries.triggers,
      (found) =>
        found.map(({ FILNAM, TRGNAM, USABLE }) => ({
          file: textOf(FILNAM),
          name: textOf(TRGNAM),
          usable: USABLE === 'Y',
        })),
      library,
    ),
    unjournaled: await perhaps(queries.unjournaled, (found) => found.map(({ FILNAM }) => textOf(FILNAM)), library),
    sample: await perhaps(
      queries.sample?.(map.ccsid),
      ([found]) => ({ hex: textOf(found?.['HEX']).toUpperCase(), text: textOf(found?.['TXT']) }),
      sampleText,
      sampleText,
    ),
    session: await perhaps(queries.session, ([found]) => ({
      lockWaitS: found?.['LOCKWAIT'] == null ? undefined : Number(found['LOCKWAIT']),
      isolation: textOf(found?.['ISOLATION']),
    })),
    emptyIsNull: await rows(queries.emptyIsNull, ([found]) => found?.['EMPTYNULL'] === 'Y'),
    sortPage: await perhaps(queries.sortPage, ([found]) => Number(found?.['PAGESIZE'])),
    clockAheadS: await reading(() => readClock(host, now)),
    zones: await rows(selectColumns(host, 'FACMSTP', ['FAFAC', 'FATZ'], []), (found) =>
      found.map(({ FAFAC, FATZ }) => ({ facility: textOf(FAFAC), zone: textOf(FATZ) })),
    ),
    switches: await rows(selectColumns(host, 'PODCTLP', ['CTHOLD'], []), (found) =>
      found.map(({ CTHOLD }) => ({ hold: textOf(CTHOLD) })),
    ),
    comparison: shadowLibrary === undefined ? undefined : await reading(() => tryComparison(host, shadowLibrary)),
    authorities: form === 'short' ? undefined : await reading(() => readAuthorities(host)),
  };
}

const textOf = (value: HostRow[string] | undefined): string => String(value ?? '').trimEnd();

async function reading<Value>(ask: () => Promise<Value>): Promise<Reading<Value>> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    if (!(error instanceof HostError) || error.sqlstate.startsWith('08')) throw error;
    return { ok: false, why: `${error.sqlstate} ${error.message}` };
  }
}

async function readFiles(host: Host): Promise<Files> {
  const files = new Map<HostFileName, readonly HostColumn[] | undefined>();
  for (const name of hostFileNames) files.set(name, await host.describe(name));
  return files;
}

/** The middle of the question counts as its moment here. */
async function readClock(host: Host, now: () => Date): Promise<number> {
  const before = now().getTime();
  const [found] = await host.query(factQueries[host.dialect].clock);
  const here = (before + now().getTime()) / 2;
  const there = Date.parse(`${textOf(found?.['NOW']).slice(0, 23).replace(' ', 'T')}Z`);
  return Math.round((there - here) / 100) / 10;
}

/** Statements that touch no row. @throws HostError for a missing table or column, or without an authority */
async function tryComparison(host: Host, library: string): Promise<string> {
  const place = { dialect: host.dialect, library, map: new LibraryMap({}, host.map.ccsid) };
  for (const { needed, act, sql } of probesOf(place, 'PODSHDP')) {
    if (act === 'read') await host.query(sql);
    else if (needed) await host.transaction((tx) => tx.execute(sql));
  }
  return library;
}

/** No authority. */
const REFUSED = '42501';
/** A column or a file is missing: these have lines of their own. */
const MISSING = ['42703', '42704'];

async function readAuthorities(host: Host): Promise<AuthorityFact[]> {
  const facts: AuthorityFact[] = [];
  for (const { sql, ...probe } of authorityProbes(host)) {
    const outcome = await reading(async () => {
      await (probe.act === 'read' ? host.query(sql) : host.transaction((tx) => tx.execute(sql)));
    });
    if (outcome.ok || outcome.why.startsWith(REFUSED)) facts.push({ ...probe, allowed: outcome.ok });
    else if (!MISSING.some((state) => outcome.why.startsWith(state)))
      facts.push({ ...probe, allowed: undefined, why: outcome.why });
  }
  return facts;
}
