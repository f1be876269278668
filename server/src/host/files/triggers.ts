import { createHash } from 'node:crypto';
import { onlyCell } from '../../runtime/cell-name.ts';
import type { HostFile } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { plainMap, type LibraryMap } from './library-map.ts';
import { hostFile, hostFileNames, type HostFileName } from './tables.ts';

/** The events that reach the doorbell. */
export const doorbellEvents = ['insert', 'update', 'delete'] as const;
export type DoorbellEvent = (typeof doorbellEvents)[number];

/**
 * The map of a library for a cell. Cells that share a library have a doorbell each, and read and clear no other one: a file
 * of this name and triggers that write to it. Names have ten characters, so the cell contributes a digest.
 */
export function mapOfCell(cell: string, map: LibraryMap = plainMap): LibraryMap {
  if (cell === onlyCell) return map;
  const digest = createHash('sha256').update(cell).digest('hex').slice(0, 6).toUpperCase();
  return map.withDoorbell(`PODC${digest}`);
}

/** Db2 for i has names of ten characters, so that its triggers end in a letter. Those of a cell's doorbell name it. */
export function triggerName(dialect: Dialect, file: string, event: DoorbellEvent, cellDoorbell?: string): string {
  if (cellDoorbell !== undefined) return `${file}_${cellDoorbell}_${event.slice(0, 1).toUpperCase()}`;
  return dialect === 'postgres' ? `${file}_${event}` : `${file}T${event.slice(0, 1).toUpperCase()}`;
}

/** Files whose changes by other programs reach the doorbell. */
export const ringingFiles: readonly HostFileName[] = hostFileNames.filter(
  (name) => hostFile(name).doorbell === 'rings',
);

/** The sequence of the library that numbers the changes. */
export const changeSequence = 'PODCHGS';

/** The events that give a row a new number. */
export const numberedEvents = ['insert', 'update'] as const;

/** The trigger that numbers the changes of a file. */
export function numberTriggerName(dialect: Dialect, file: string, event: (typeof numberedEvents)[number]): string {
  return dialect === 'postgres' ? `${file}_number_${event}` : `${file}B${event.slice(0, 1).toUpperCase()}`;
}

/** The column that gets the number of each change; undefined where the file or the library has none. */
export function numberOf({ assigned }: HostFile, map: LibraryMap = plainMap): string | undefined {
  return map.stored(Object.keys(assigned)).find((name) => assigned[name]?.kind === 'changeNumber');
}
