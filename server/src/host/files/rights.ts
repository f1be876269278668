import type { HostFile } from './columns.ts';

/** The acts of the service on a file besides reading it; the grants of the DDL and the doctor follow it. */
export interface FileRights {
  readonly insert: boolean;
  readonly delete: boolean;
  /** Columns that it changes; empty where it changes none. */
  readonly update: readonly string[];
}

/**
 * Files whose rows the service inserts although some of their columns are the office's: a credit changes a row of ours.
 */
const ADDED_BY_SERVICE = ['RTOSDP'];
/**
 * Files from which the service deletes rows: read lines of the doorbell, former sections of a report, old lines of the log,
 * former differences.
 */
const CLEARED_BY_SERVICE = ['PODCHGP', 'LCRSCP', 'PODRPLP', 'PODSHDP'];

export function rightsOf(file: HostFile): FileRights {
  const tail = ['UUSR', 'UPGM', 'UDAT', 'UTIM'].map((name) => `${file.prefix}${name}`);
  const service = Object.keys(file.service);
  const isOfService = service.length > 0 && Object.keys(file.host).length === 0;
  return {
    insert: isOfService || ADDED_BY_SERVICE.includes(file.name),
    delete: CLEARED_BY_SERVICE.includes(file.name),
    update: service.length > 0 ? [...service, ...tail] : [],
  };
}
