import type { Dialect } from './dialect.ts';
import { hostFile, hostFileNames, type HostFileName } from './tables.ts';

/** The events that reach the doorbell. */
export const doorbellEvents = ['insert', 'update', 'delete'] as const;
export type DoorbellEvent = (typeof doorbellEvents)[number];

/** Db2 for i has names of ten characters, so that its triggers end in a letter. */
export function triggerName(dialect: Dialect, file: string, event: DoorbellEvent): string {
  return dialect === 'postgres' ? `${file}_${event}` : `${file}T${event.slice(0, 1).toUpperCase()}`;
}

/** Files whose changes by other programs reach the doorbell. */
export const ringingFiles: readonly HostFileName[] = hostFileNames.filter(
  (name) => hostFile(name).doorbell === 'rings',
);
