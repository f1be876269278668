import { readFile } from 'node:fs/promises';
import { inject } from 'vitest';
import type { Host } from '../../server/src/host/host.ts';
import { openDb2 } from '../../server/src/host/db2/open-db2.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import type { TestDatabase } from './postgres.ts';
import { recordedLog } from './recorded-log.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The driver by which tests reach the host: the stand-in's own, or that of `npm run test:db2`. */
    hostDriver: 'postgres' | 'ibm_db' | undefined;
  }
}

/** The host in this PostgreSQL, opened by the driver of this run. */
export async function openTestHost(url: string, program: string, library = 'PODDTA'): Promise<Host> {
  const log = recordedLog();
  if (inject('hostDriver') !== 'ibm_db') return openStandIn({ url, library, log, program });
  return openDb2({ url: db2Address(url), library, log, program, size: 4 });
}

/** The address of a PostgreSQL as the stand-in for IBM's client library takes it. */
export function db2Address(url: string): string {
  return url.replace(/^postgres(ql)?:/, 'db2:');
}

/** The settings by which a server in its own process reaches that host. */
export function hostSettings(url: string): Record<string, string> {
  if (inject('hostDriver') !== 'ibm_db') return { LEGACY_URL: url };
  return { LEGACY_URL: db2Address(url), NODE_PATH: process.env['NODE_PATH'] ?? '' };
}

/** The stand-in creates its library itself; a Db2 has one, and a catalog. */
export async function makeLibrary({ url, pool }: TestDatabase, library = 'PODDTA'): Promise<void> {
  if (inject('hostDriver') !== 'ibm_db') return;
  await (await openStandIn({ url, library, log: recordedLog() })).close();
  await pool.query(await readFile(new URL('../db2/catalog.sql', import.meta.url), 'utf8'));
}
