import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a backup, by the names of `pg_basebackup --format=tar --gzip`. */
export const ARCHIVE = 'base.tar.gz';
export const MANIFEST = 'backup_manifest';
/** The end of the name of a backup in progress. */
export const PARTIAL = '.partial';

/** A running backup writes all the time. After this long without a write it has been interrupted. */
const INTERRUPTED_MS = 3_600_000;

const OURS = /^tailgate-\d{8}T\d{6}Z$/;

/** The name of a backup: the second of its start, UTC. */
export function nameOf(start: Date): string {
  return `tailgate-${start.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

export interface Backup {
  readonly folder: string;
  /** When the last byte of it was written. */
  readonly madeAt: Date;
}

/** The complete base backups of a folder, the newest first: its own ones and those of `pg_basebackup`. */
export async function listBackups(folder: string): Promise<Backup[]> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith(PARTIAL));
  const found = await Promise.all(names.map((name) => backupIn(join(folder, name))));
  return found.filter((backup) => backup !== undefined).toSorted((a, b) => b.madeAt.getTime() - a.madeAt.getTime());
}

/** The backup of this folder. Its manifest is written last. */
export async function backupIn(folder: string): Promise<Backup | undefined> {
  const [archive, manifest] = await Promise.all(
    [ARCHIVE, MANIFEST].map((name) => stat(join(folder, name)).catch(() => undefined)),
  );
  return archive && manifest && { folder, madeAt: manifest.mtime };
}

/** Deletes all but the newest `keep` backups that this program has made. @returns their names */
export async function dropOldBackups(folder: string, keep: number): Promise<string[]> {
  const complete = (await readdir(folder)).filter((name) => OURS.test(name)).toSorted();
  return dropAll(folder, complete.slice(0, -keep));
}

/**
 * Deletes the remains of interrupted backups, and leaves the ones alone that run beside this one: another database may have
 * the same folder. @returns the names of the deleted ones
 */
export async function dropUnfinished(folder: string, now: Date): Promise<string[]> {
  const unfinished = (await readdir(folder)).filter(
    (name) => name.endsWith(PARTIAL) && OURS.test(name.slice(0, -PARTIAL.length)),
  );
  const written = await Promise.all(unfinished.map((name) => lastWriteIn(join(folder, name))));
  const isOld = (at: number | undefined): boolean => at !== undefined && at <= now.getTime() - INTERRUPTED_MS;
  return dropAll(
    folder,
    unfinished.filter((_, i) => isOld(written[i])),
  );
}

/** Undefined where the folder has its name by now, or is not to be read: then it is not to be deleted either. */
async function lastWriteIn(folder: string): Promise<number | undefined> {
  try {
    const places = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
    const stats = await Promise.all(places.map((place) => lstat(place)));
    return Math.max(...stats.map(({ mtimeMs }) => mtimeMs));
  } catch {
    return undefined;
  }
}

async function dropAll(folder: string, names: readonly string[]): Promise<string[]> {
  // Another database with the same folder may be first.
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
  return [...names];
}
