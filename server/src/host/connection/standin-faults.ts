import type pg from 'pg';
import type { LibraryMap } from '../files/library-map.ts';
import { isHostFileName } from '../files/tables.ts';
import { HostError } from '../host.ts';

// Faults that a trial injects into the stand-in from another process. They are rows of the stand-in itself: in force
// for every connection at once, without a hook in the product. The driver reads them in a round trip that it makes
// anyway.

export const faultNames = ['outage', 'lock', 'slow', 'poison', 'system', 'governor'] as const;
export type FaultName = (typeof faultNames)[number];
/** `file` empty: every file. */
export type Fault = { fault: string; file: string };

export function isFaultName(name: string): name is FaultName {
  return faultNames.some((known) => known === name);
}

/** The rows of the fault table in the result of a text of one or two statements. */
export function faultsIn(answer: pg.QueryResult<Fault> | pg.QueryResult<Fault>[]): Fault[] {
  const last = Array.isArray(answer) ? answer.at(-1) : answer;
  const rows: Partial<Fault>[] = last?.rows ?? [];
  return rows.map(({ fault = '', file = '' }) => ({ fault, file }));
}

/** The same faults of the library's tables: a fault names one of our files, and statements name their tables. */
export function inTables(faults: readonly Fault[], map: LibraryMap): readonly Fault[] {
  if (map.isPlain && map.cellDoorbell === undefined) return faults;
  return faults.map(({ fault, file }) => ({ fault, file: isHostFileName(file) ? map.table(file) : file }));
}

/** Fails like the host in this condition; `sql` empty means the connection itself. */
export function refuseByFault(faults: readonly Fault[], sql: string): void {
  for (const { fault, file } of faults) {
    if (fault === 'outage')
      throw new HostError('08001', 'the host does not answer (fault outage is on)', { sqlcode: -30081 });
    if (!writesTo(sql, file)) continue;
    if (fault === 'lock')
      throw new HostError('57033', `${file || 'the file'} is in use (fault lock is on)`, { sqlcode: -913 });
    if (fault === 'system')
      throw new HostError('58004', 'system error in the host (fault system is on)', { sqlcode: -901 });
    if (fault === 'governor')
      throw new HostError('57005', 'the estimated time exceeds the limit of the job (fault governor is on)', {
        sqlcode: -666,
      });
    if (fault === 'poison') {
      throw new HostError('09000', `a trigger of ${file || 'the file'} refused (fault poison is on)`, {
        sqlcode: -723,
      });
    }
  }
}

export function isSlowed(faults: readonly Fault[], sql: string): boolean {
  return faults.some(
    ({ fault, file }) => fault === 'slow' && (file === '' || new RegExp(`\\b${file}\\b`, 'i').test(sql)),
  );
}

function writesTo(sql: string, file: string): boolean {
  const target = /^\s*(?:insert\s+into|update|delete\s+from|merge\s+into)\s+(?:\w+\.)?"?([\w#@$]+)/i.exec(sql)?.[1];
  return target !== undefined && (file === '' || target.toUpperCase() === file.toUpperCase());
}
