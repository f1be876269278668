import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { parseLegacyMap } from '../../server/src/host/files/legacy-map.ts';
import { namesOn, type LibraryMap } from '../../server/src/host/files/library-map.ts';
import { libraryMark } from '../../server/src/host/files/standin-schema.ts';
import type { HostFileName } from '../../server/src/host/files/tables.ts';
import type { Host } from '../../server/src/host/host.ts';
import { printed } from '../../server/src/host/tools/cli.ts';
import { openDb2 } from '../../server/src/host/db2/open-db2.ts';
import { openOdbcHost } from '../../server/src/host/db2/open-odbc.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import type { TestDatabase } from './postgres.ts';
import { recordedLog } from './recorded-log.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The driver by which tests reach the host: the stand-in's own, or that of `npm run test:db2` or `test:odbc`. */
    hostDriver: 'postgres' | 'ibm_db' | 'odbc' | undefined;
    /**
     * The library has names of its own, and other programs see our names by views. `own`: the service works by a map
     * (own-names.json). `views`: it works on the views, too (view-names.json), and finds changes by polling.
     */
    hostNames: 'own' | 'views' | undefined;
  }
}

/** The host in this PostgreSQL, opened by the driver of this run. */
export async function openTestHost(url: string, program: string, library = 'PODDTA'): Promise<Host> {
  const log = recordedLog();
  if (inject('hostNames') === 'own' && program === 'TAILGATE' && library === 'PODDTA')
    return openStandIn({ url, library: OWN_LIBRARY, log, program, map: await ownNames() });
  if (inject('hostDriver') === 'odbc') return openOdbcHost({ url: odbcAddress(url), library, log, program, size: 4 });
  if (inject('hostDriver') !== 'ibm_db') return openStandIn({ url, library, log, program });
  return openDb2({ url: db2Address(url), library, log, program, size: 4 });
}

/** The address of a PostgreSQL as the stand-in for IBM's client library takes it. */
export function db2Address(url: string): string {
  return url.replace(/^postgres(ql)?:/, 'db2:');
}

/** The same for PostgreSQL's ODBC driver. */
function odbcAddress(url: string): string {
  const { hostname, port, pathname, username, password } = new URL(url);
  const keywords = {
    DRIVER: '{PostgreSQL Unicode}',
    SERVER: hostname,
    PORT: port,
    DATABASE: pathname.slice(1),
    UID: username,
    PWD: decodeURIComponent(password),
    UseServerSidePrepare: '1',
    ByteaAsLongVarBinary: '1',
    MaxVarcharSize: '2000',
    // A failed statement fails the transaction, as by the driver of the stand-in.
    Protocol: '7.4-0',
  };
  return `odbc:${Object.entries(keywords)
    .map(([name, value]) => `${name}=${value};`)
    .join('')}`;
}

const OWN_LIBRARY = 'THEIRS';

/** Whether the service works on views. */
export const isOnViews = (): boolean => inject('hostNames') === 'views';

/** A map that renames, shortens, codes and leaves out; for the service on views one that plain views can have. */
async function ownNames(): Promise<LibraryMap> {
  const file = isOnViews() ? 'view-names.json' : 'own-names.json';
  return parseLegacyMap(await readFile(new URL(file, import.meta.url), 'utf8'));
}

/** The script of `LEGACY_MAP=… LEGACY_LIBRARY=THEIRS npm run host -- views --library …`. */
export async function printedViews(views: string): Promise<string> {
  return printed({ verb: 'views', dialect: 'postgres', library: views }, OWN_LIBRARY, await ownNames());
}

/** A table of the library in SQL, for what a view cannot have: a trigger, a lock, another name. */
export async function tableOf(file: HostFileName): Promise<string> {
  if (inject('hostNames') === undefined) return `PODDTA.${file}`;
  return namesOn({ dialect: 'postgres', library: OWN_LIBRARY, map: await ownNames() }).table(file);
}

/** The same for a column. */
export async function columnOf(column: string): Promise<string> {
  if (inject('hostNames') === undefined) return column;
  return namesOn({ dialect: 'postgres', library: OWN_LIBRARY, map: await ownNames() }).column(column);
}

/** A library with own names, and `views` with ours over it, in which clerks of a test work, and in some runs the service. */
async function makeViews(url: string, pool: TestDatabase['pool'], views: string): Promise<void> {
  const map = await ownNames();
  await (await openStandIn({ url, library: OWN_LIBRARY, log: recordedLog(), map })).close();
  const script = [
    `create schema ${views};`,
    await printedViews(views),
    `create view ${views}.standin_fault as select * from ${OWN_LIBRARY}.standin_fault;`,
    // A program that opens it finds a complete library.
    `comment on schema ${views} is '${libraryMark()}'`,
  ];
  await pool.query(script.join('\n'));
}

/** The settings by which a worker reaches that library, and the schema of its files. */
export function librarySettings(): { readonly env: Record<string, string>; readonly schema: string } {
  if (inject('hostNames') === undefined) return { env: {}, schema: 'poddta' };
  if (isOnViews()) return { env: { HOST_CHANGES: 'polling' }, schema: OWN_LIBRARY.toLowerCase() };
  const LEGACY_MAP = fileURLToPath(new URL('own-names.json', import.meta.url));
  return { env: { LEGACY_LIBRARY: OWN_LIBRARY, LEGACY_MAP }, schema: OWN_LIBRARY.toLowerCase() };
}

/** The settings by which a server in its own process reaches that host. */
export function hostSettings(url: string): Record<string, string> {
  if (inject('hostDriver') === 'odbc')
    return { LEGACY_URL: odbcAddress(url), NODE_PATH: process.env['NODE_PATH'] ?? '' };
  if (inject('hostDriver') !== 'ibm_db') return { LEGACY_URL: url };
  return { LEGACY_URL: db2Address(url), NODE_PATH: process.env['NODE_PATH'] ?? '' };
}

/** The stand-in creates its library itself; a Db2 has one, and a catalog. */
export async function makeLibrary({ url, pool }: TestDatabase, library = 'PODDTA'): Promise<void> {
  if (inject('hostNames') !== undefined) return makeViews(url, pool, library);
  if (inject('hostDriver') === 'odbc') {
    await (await openStandIn({ url, library, log: recordedLog() })).close();
    return;
  }
  if (inject('hostDriver') !== 'ibm_db') return;
  await (await openStandIn({ url, library, log: recordedLog() })).close();
  await pool.query(await readFile(new URL('../db2/catalog.sql', import.meta.url), 'utf8'));
}
