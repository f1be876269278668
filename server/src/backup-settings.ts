import { resolve } from 'node:path';
import { z } from 'zod';
import { places, postgresUrl } from './setting-values.ts';
import { optional } from './variables.ts';

/** Settings of backups, and of the doctor’s checks of this machine. */
export const backupVariables = {
  BACKUP_DIR: optional('Folder of backups; unset: no backup is made, and the doctor says so', z.string()),
  BACKUP_URL: optional(
    'PostgreSQL of DATABASE_URL by a role that may replicate, for backups; unset: DATABASE_URL',
    postgresUrl(),
    'secret',
  ),
  CHECK_DISKS: optional(
    'Folders whose disks the doctor checks, separated by commas; unset: DATA_DIR and BACKUP_DIR',
    places(),
  ),
  CHECK_CERTIFICATES: optional(
    'PEM files and https://… addresses whose certificates the doctor checks, separated by commas; unset: PUBLIC_URL',
    places(),
  ),
};

type Values = { [Name in keyof typeof backupVariables]: ReturnType<(typeof backupVariables)[Name]['parse']> };

/** Relative folders start at `cwd`. */
export function readBackupSettings(
  read: <Name extends keyof Values>(name: Name) => Values[Name],
  cwd: string,
  { dataDir, publicUrl }: { readonly dataDir: string; readonly publicUrl: string | undefined },
) {
  const here = (path: string): string => (path.startsWith('https://') ? path : resolve(cwd, path));
  const dir = read('BACKUP_DIR');
  const isPublic = publicUrl?.startsWith('https://') ?? false;
  return {
    dir: dir === undefined ? undefined : here(dir),
    url: read('BACKUP_URL'),
    disks: (read('CHECK_DISKS') ?? [dataDir, ...(dir === undefined ? [] : [dir])]).map(here),
    certificates: (read('CHECK_CERTIFICATES') ?? (isPublic && publicUrl !== undefined ? [publicUrl] : [])).map(here),
  };
}
