import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { backupIn, dropOldBackups, dropUnfinished, listBackups, type Backup } from '../../backup/backups.ts';
import { takeBackup } from '../../backup/base-backup.ts';
import { countOf, misuseOf, readWords, type Manual } from '../../runtime/command-line.ts';
import { StartError } from '../../runtime/start-error.ts';
import { runDrill, type Drill, type DrillOptions } from '../drills/drill.ts';

// `npm run ops -- backup …`, `restore-drill …`: backups of PostgreSQL, and whether they can be restored.

export const backupCommands: Manual['commands'] = {
  backup: {
    takes: '[--keep N]',
    does: 'a base backup of PostgreSQL into BACKUP_DIR, beside running servers; --keep: deletes all but the newest N',
  },
  'restore-drill': {
    takes: '[BACKUP] [--place DIR] [--programs DIR]',
    does: 'restores the newest backup of BACKUP_DIR beside the servers, checks it, deletes the copy, records the result; --place: for the copy; --programs: PostgreSQL’s folder with bin/',
  },
};

export type BackupCommand =
  | { readonly verb: 'backup'; readonly keep: number | undefined }
  | {
      readonly verb: 'restore-drill';
      readonly backup: string | undefined;
      readonly place: string | undefined;
      readonly programs: string | undefined;
    };

/** Undefined for every other command. @throws StartError */
export function parseBackupCommand(argv: readonly string[], manual: Manual): BackupCommand | undefined {
  if (argv[0] === undefined || !Object.hasOwn(backupCommands, argv[0])) return undefined;
  const { positionals, values } = readWords(argv, {
    keep: { type: 'string' },
    place: { type: 'string' },
    programs: { type: 'string' },
  });
  const [verb, backup, ...more] = positionals;
  const { keep, place, programs } = values;
  if (verb === 'backup' && backup === undefined && place === undefined && programs === undefined)
    return { verb, keep: keep === undefined ? undefined : countOf('keep', keep) };
  if (verb === 'restore-drill' && more.length === 0 && keep === undefined) return { verb, backup, place, programs };
  throw new StartError(misuseOf(manual, positionals));
}

export interface BackupDeps extends Pick<DrillOptions, 'db' | 'migrations' | 'newId' | 'clock'> {
  /** The database of the servers. */
  readonly url: string;
  /** A role that may replicate. */
  readonly backupUrl: string;
  readonly backupDir: string | undefined;
  readonly dataDir: string;
}

export interface CommandOutcome {
  readonly text: string;
  readonly ok: boolean;
}

/** @returns what to show. @throws StartError */
export async function runBackupCommand(command: BackupCommand, deps: BackupDeps): Promise<CommandOutcome> {
  if (command.verb === 'backup') return { text: await backUp(command.keep, deps), ok: true };
  const backup = await chosen(command.backup, deps.backupDir);
  const { username, pathname } = new URL(deps.url);
  const drill = await runDrill(backup, {
    ...deps,
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    scratch: { place: resolve(command.place ?? deps.dataDir), programs: command.programs },
  });
  return { text: described(drill), ok: drill.ok };
}

async function backUp(keep: number | undefined, { backupUrl, backupDir, clock }: BackupDeps): Promise<string> {
  const into = required(backupDir);
  await mkdir(into, { recursive: true, mode: 0o700 });
  // First of all: the remains may be what has filled the disk.
  const unfinished = await dropUnfinished(into, clock());
  const folder = await takeBackup(backupUrl, into, clock());
  const old = keep === undefined ? [] : await dropOldBackups(into, keep);
  const dropped = [...old, ...unfinished];
  return [`${folder} is complete.`, ...(dropped.length > 0 ? [`Deleted: ${dropped.join(', ')}`] : [])].join('\n');
}

async function chosen(named: string | undefined, backupDir: string | undefined): Promise<Backup> {
  if (named !== undefined) {
    const backup = await backupIn(resolve(named));
    if (backup) return backup;
    throw new StartError(`${named} is no base backup: expected base.tar.gz and backup_manifest in it`);
  }
  const folder = required(backupDir);
  const [newest] = await listBackups(folder).catch((cause: unknown) => {
    throw new StartError(`BACKUP_DIR: ${folder} cannot be read`, { cause });
  });
  if (newest) return newest;
  throw new StartError(`BACKUP_DIR: ${folder} contains no base backup (npm run ops -- backup makes one)`);
}

function required(backupDir: string | undefined): string {
  if (backupDir !== undefined) return backupDir;
  throw new StartError('BACKUP_DIR: expected the folder of the backups');
}

function described({ backup, ok, seconds, findings, at }: Drill): string {
  return [
    ...findings.map((finding) => `${finding.ok ? 'GO   ' : 'NO-GO'}  ${finding.check.padEnd(10)}  ${finding.says}`),
    `${ok ? 'GO' : 'NO-GO'}: ${backup} ${ok ? 'can be restored' : 'must not be relied on'} (${at.toISOString()}, ${seconds} s)`,
  ].join('\n');
}
