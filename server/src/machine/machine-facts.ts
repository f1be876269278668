import type { Reading } from '../host/doctor/facts.ts';

/** The description of this machine and its backups by itself. */
export interface MachineFacts {
  /** Of each checked folder. */
  readonly disks: ReadonlyMap<string, Reading<DiskFact>>;
  /** Of each address and PEM file. */
  readonly certificates: ReadonlyMap<string, Reading<CertificateFact>>;
  /** When the newest backup was complete; undefined where the folder has none. Absent without a folder. */
  readonly backup: { readonly folder: string; readonly newest: Reading<Date | undefined> } | undefined;
  readonly drills: Reading<DrillFact>;
}

export interface DiskFact {
  readonly freeBytes: number;
  readonly bytes: number;
}

export interface CertificateFact {
  readonly subject: string;
  readonly validTo: Date;
}

export interface DrillFact {
  readonly lastAt: Date | undefined;
  readonly lastOk: boolean;
  /** The newest one that succeeded. */
  readonly goodAt: Date | undefined;
}
