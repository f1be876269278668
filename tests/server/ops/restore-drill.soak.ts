import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { takeBackup } from '../../../server/src/backup/base-backup.ts';
import { migrationsFolder } from '../../../server/src/db/migrate.ts';
import { createPool } from '../../../server/src/db/pool.ts';
import {
  parseBackupCommand,
  runBackupCommand,
  type BackupDeps,
  type CommandOutcome,
} from '../../../server/src/ops/commands/backup-commands.ts';
import { opsManual } from '../../../server/src/ops/commands/cli.ts';
import { StartError } from '../../../server/src/runtime/start-error.ts';
import { openOwnPostgres } from '../../nodes/own-postgres.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { createDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { startServer } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openSignedUp } from '../../system/device.ts';
import { demoRoute, opsToken } from '../../system/service.ts';

const run = promisify(execFile);
const route = demoRoute('R100');
const begun = Date.now();
const longAgo = new Date(begun - 2 * 3_600_000);

let url: string;
let db: pg.Pool;
let deps: BackupDeps;
let folder: string;

/** `npm run ops -- …`. */
function ops(words: readonly string[], other: Partial<BackupDeps> = {}): Promise<CommandOutcome> {
  const command = parseBackupCommand(words, opsManual);
  if (!command) throw new Error('no command of backups');
  return runBackupCommand(command, { ...deps, ...other });
}

async function newestBackup(): Promise<string> {
  return join(folder, (await readdir(folder)).toSorted().at(-1) ?? '');
}

const lines = ({ text }: CommandOutcome): string[] => text.split('\n');

beforeAll(async () => {
  const postgres = await openOwnPostgres();
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query('create database pod');
  await admin.end();
  url = postgres.url.replace(/postgres$/, 'pod');
  const server = await startServer({
    DATABASE_URL: url,
    DATA_DIR: await temporaryFolder(),
    OPS_TOKEN: opsToken,
    DEMO: '1',
    WARM_UP: '0',
  });
  const phone = await openSignedUp(server.port, '1001');
  const receipts = [1, 2, 3].map((id) => phone.app.updateStop(route, { id, updates: { status: 'D' } }));
  await Promise.all(receipts.map(({ accepted }) => accepted));
  db = createPool({ url, name: 'test', log: recordedLog() });
  atFileEnd(() => db.end());
  [folder, deps] = await Promise.all([temporaryFolder(), temporaryFolder()]).then(([backups, dataDir]) => [
    backups,
    {
      db,
      url,
      backupUrl: url,
      backupDir: backups,
      dataDir,
      migrations: migrationsFolder,
      newId: randomUUID,
      clock: () => new Date(),
    },
  ]);
});

describe('a backup', () => {
  test('beside a running server is complete; beyond the number to keep the oldest are deleted, and the rest of an interrupted one', async () => {
    const names = [
      'tailgate-20250101T000000Z',
      'tailgate-20250102T000000Z',
      'tailgate-20250103T000000Z.partial',
      'of-others',
    ];
    for (const name of names) await mkdir(join(folder, name));
    await utimes(join(folder, 'tailgate-20250103T000000Z.partial'), longAgo, longAgo);
    const [made, deleted] = lines(await ops(['backup', '--keep', '2']));
    expect(made).toMatch(/tailgate-\d{8}T\d{6}Z is complete\.$/);
    expect(deleted).toBe('Deleted: tailgate-20250101T000000Z, tailgate-20250103T000000Z.partial');
    const backup = await newestBackup();
    expect((await readdir(folder)).toSorted()).toEqual(['of-others', 'tailgate-20250102T000000Z', basename(backup)]);
    expect((await readdir(backup)).toSorted()).toEqual(['backup_manifest', 'base.tar.gz']);
  });

  test('of a role that may not replicate is refused with what to do, and leaves nothing', async () => {
    await db.query(`create role reader login password 'test'`);
    const before = await readdir(folder);
    const unfinished = join(folder, 'tailgate-20250104T000000Z.partial');
    await mkdir(unfinished);
    await utimes(unfinished, longAgo, longAgo);
    const backupUrl = url.replace(/tailgate:/, 'reader:');
    await expect(ops(['backup'], { backupUrl })).rejects.toThrow(
      /a backup needs a role that may replicate .*BACKUP_URL/,
    );
    expect(await readdir(folder)).toEqual(before);
  });

  test('that finds no room on the disk is one sentence, and leaves nothing', async () => {
    const into = await temporaryFolder();
    const partial = join(into, 'tailgate-20260101T000000Z.partial');
    await mkdir(partial);
    await symlink('/dev/full', join(partial, 'base.tar.gz'));
    await expect(takeBackup(url, into, new Date('2026-01-01T00:00:00Z'))).rejects.toThrow(
      new StartError(`no backup was made in ${into}: ENOSPC: no space left on device, write`),
    );
    expect(await readdir(into)).toEqual([]);
  });
});

describe('a restore drill', () => {
  test('restores a backup, checks it, and leaves a dated record and no copy', async () => {
    const outcome = await ops(['restore-drill']);
    expect(lines(outcome)).toEqual([
      expect.stringMatching(/^GO {5}files {7}all \d+ files have the size and checksum of the manifest$/),
      expect.stringMatching(/^GO {5}recovery {4}PostgreSQL has recovered the state of 2\d{3}-/),
      expect.stringMatching(/^GO {5}migrations {2}\d+ migrations, all$/),
      expect.stringMatching(/^GO {5}epoch {7}epoch 1, the servers are in 1$/),
      expect.stringMatching(/^GO {5}contents {4}\d+ routes, \d+ changes, 1 queues, 0 files$/),
      expect.stringMatching(/^GO {5}chains {6}3 items of queues are as phones sealed them$/),
      expect.stringMatching(/^GO: tailgate-\S+ can be restored \(\S+, \d+ s\)$/),
    ]);
    expect(outcome.ok).toBe(true);
    expect((await readdir(deps.dataDir)).filter((name) => name.startsWith('restore-drill'))).toEqual([]);
    const { rows } = await db.query<{ at: Date; backup_at: Date; ok: boolean }>('select * from restore_drill');
    expect(rows).toEqual([expect.objectContaining({ ok: true })]);
    expect(rows[0]?.at.getTime()).toBeGreaterThanOrEqual(begun);
    // A manifest has whole seconds.
    expect(rows[0]?.backup_at.getTime()).toBeGreaterThanOrEqual(begun - 1_000);
    expect(await incidents()).toEqual([]);
  });

  test('misses no change that was released from quarantine behind the backup', async () => {
    const id = randomUUID();
    await db.query(
      `insert into quarantine (quarantine_id, id, hash, employee, name, code, reason, body, received_at)
       values (gen_random_uuid(), $1, '', '1001', 'updateStop', 'ROUTE_NOT_FOUND', '', '', now() - interval '1 day')`,
      [id],
    );
    await ops(['backup']);
    await db.query(`update quarantine set state = 'released', resolved_at = now() where id = $1`, [id]);
    await saveChange(db, id);
    expect((await ops(['restore-drill'])).text).toMatch(/^GO {5}contents /m);
    await db.query('delete from ledger where id = $1', [id]);
  });

  test('records a check that fails', async () => {
    const { url: busyUrl, pool } = await createDatabase();
    const impatient = createPool({ url: busyUrl, name: 'test', log: recordedLog(), timeoutMs: 300 });
    const writer = await pool.connect();
    try {
      await writer.query('begin');
      await writer.query('lock table ledger');
      const { text, ok } = await ops(['restore-drill'], { db: impatient });
      expect(ok).toBe(false);
      expect(text).toMatch(/^NO-GO {2}contents {4}the check failed: canceling statement due to statement timeout$/m);
      expect((await pool.query<{ ok: boolean }>('select ok from restore_drill')).rows).toEqual([{ ok: false }]);
    } finally {
      await writer.query('rollback');
      writer.release();
      await impatient.end();
    }
  });

  test('names a backup with damaged files, and starts no PostgreSQL on them', async () => {
    const damaged = await copyOfNewest('damaged', async (data) => truncate(join(data, 'global/pg_control'), 4_096));
    const outcome = await ops(['restore-drill', damaged]);
    expect(outcome.ok).toBe(false);
    expect(lines(outcome)).toEqual([
      expect.stringMatching(/^NO-GO {2}files {7}1 of \d+ files: global\/pg_control has 4096 bytes and not 8192$/),
      expect.stringMatching(/^NO-GO: damaged must not be relied on/),
    ]);
    expect(await incidents()).toEqual([{ kind: 'restore_drill_failed', backup: 'damaged' }]);
  });

  test('names an archive that is cut off, and a manifest that was changed', async () => {
    const cut = join(await temporaryFolder(), 'cut');
    await cp(await newestBackup(), cut, { recursive: true });
    await truncate(join(cut, 'base.tar.gz'), 100_000);
    expect((await ops(['restore-drill', cut])).text).toMatch(
      /^NO-GO {2}recovery {4}\S+base\.tar\.gz cannot be unpacked: /,
    );
    const changed = join(await temporaryFolder(), 'changed');
    await cp(await newestBackup(), changed, { recursive: true });
    const manifest = await readFile(join(changed, 'backup_manifest'), 'utf8');
    await writeFile(join(changed, 'backup_manifest'), manifest.replace('"Size": 8192', '"Size": 8193'));
    expect((await ops(['restore-drill', changed])).text).toMatch(
      /^NO-GO {2}recovery {4}\S+backup_manifest is damaged: /,
    );
  });

  test('names another PostgreSQL, lost changes, an altered record and a foreign migration in a backup that PostgreSQL recovers', async () => {
    await db.query(`insert into schema_migration (number, name, sha256) values (9999, '9999_of_others.sql', '')`);
    const { rows } = await db.query<{ id: string }>(
      `update ledger set body = body || ' ' where id = (select id from ledger where client_id is not null order by seq limit 1) returning id`,
    );
    await ops(['backup']);
    // Received long before the backup, and not in it.
    const { pool } = await createDatabase();
    // More than the three of the phone, which are in it, and count once they are a minute old.
    for (let n = 0; n < 4; n++) await saveChange(pool, randomUUID());
    const { text } = await ops(['restore-drill'], { db: pool });
    expect(text).toMatch(/^NO-GO {2}epoch {7}the backup belongs to another PostgreSQL than the servers use$/m);
    expect(text).toMatch(/^NO-GO {2}migrations {2}this release does not know 9999_of_others\.sql$/m);
    expect(text).toMatch(/^NO-GO {2}contents {4}.*: [1-4] changes from before the backup are missing$/m);
    expect(text).toMatch(new RegExp(`^NO-GO  chains      1 of 3 items differ: ${rows[0]?.id}$`, 'm'));
  });
});

/** A copy of the newest backup whose unpacked files were changed. */
async function copyOfNewest(name: string, change: (data: string) => Promise<void>): Promise<string> {
  const copy = join(await temporaryFolder(), name);
  await cp(await newestBackup(), copy, { recursive: true });
  const data = join(await temporaryFolder(), 'data');
  await mkdir(data);
  await run('tar', ['-xzf', join(copy, 'base.tar.gz'), '-C', data]);
  await change(data);
  await run('tar', ['-czf', join(copy, 'base.tar.gz'), '-C', data, '.']);
  return copy;
}

async function incidents(): Promise<{ kind: string; backup: string }[]> {
  const statement = `select kind, details::jsonb->>'backup' as backup from incident where kind like 'restore%'`;
  return (await db.query<{ kind: string; backup: string }>(statement)).rows;
}

/** A change that was received the day before. */
async function saveChange(to: pg.Pool, id: string): Promise<void> {
  await to.query(
    `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, hash, employee, edit_time, received_at, result, body)
     values ('F09', $1, 'R900', '20261128', 1, 99, 'rest', '', '1001', now(), now() - interval '1 day', 'applied', '{}')`,
    [id],
  );
}
