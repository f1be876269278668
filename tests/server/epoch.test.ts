import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensureEpoch } from '../../server/src/db/epoch.ts';
import { startListener } from '../../server/src/db/listen.ts';
import { migrate, migrationsFolder, readMigrations } from '../../server/src/db/migrate.ts';
import { createPool } from '../../server/src/db/pool.ts';
import { watchEpoch } from '../../server/src/db/watch-epoch.ts';
import { parseOpsCommand, runOpsCommand } from '../../server/src/ops/commands/cli.ts';
import { declareRestored, describeRestored, type Restored } from '../../server/src/ops/restore/restored.ts';
import { StartError } from '../../server/src/runtime/start-error.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The migrations of an earlier release. */
async function releaseBefore(number: string): Promise<string> {
  const folder = await temporaryFolder();
  for (const { name } of await readMigrations(migrationsFolder))
    if (name < number) await copyFile(join(migrationsFolder, name), join(folder, name));
  return folder;
}

describe('the epoch of a database (I9)', () => {
  test('the first start begins epoch 1, however many servers start together; later starts continue it', async () => {
    const { pool } = await createDatabase();
    expect(await Promise.all([ensureEpoch(pool), ensureEpoch(pool), ensureEpoch(pool)])).toEqual([1, 1, 1]);
    expect(await ensureEpoch(pool)).toBe(1);
    const { rows } = await pool.query('select epoch, timeline, reason from server_epoch');
    expect(rows).toEqual([{ epoch: 1, timeline: 1, reason: 'first start' }]);
  });

  test.each([
    ['timeline', '7', /timeline 1, it was on 7\): .*npm run ops -- restored/],
    ['cluster', '4711', /cluster \d+, it was 4711\): .*npm run ops -- restored/],
  ])('a start on another %s refuses until an operator confirms it', async (column, other, says) => {
    const { pool } = await createDatabase();
    await ensureEpoch(pool);
    await pool.query(`update server_epoch set ${column} = ${other}`);
    const start = ensureEpoch(pool);
    await expect(start).rejects.toBeInstanceOf(StartError);
    await expect(start).rejects.toThrow(says);
    await declareRestored(pool, 'disk failure');
    expect(await ensureEpoch(pool)).toBe(2);
  });

  test('each report of a restore begins an epoch and records an incident', async () => {
    const { pool } = await createDatabase();
    await ensureEpoch(pool);
    const [one, other] = await Promise.all([declareRestored(pool, 'first'), declareRestored(pool, 'second')]);
    expect(new Set([one.now.epoch, other.now.epoch])).toEqual(new Set([2, 3]));
    const { rows } = await pool.query<{ details: string }>(`select details from incident where kind = 'restored'`);
    const recorded = new Set(rows.map(({ details }): unknown => JSON.parse(details)));
    const detailsOf = (reason: string, { before, now }: Restored) => ({ reason, epoch: now.epoch, before, now });
    expect(recorded).toEqual(new Set([detailsOf('first', one), detailsOf('second', other)]));
  });

  test('a backup from before an announced restore begins an epoch above the one that it lost', async () => {
    const { pool } = await createDatabase();
    await ensureEpoch(pool);
    expect(describeRestored(await declareRestored(pool, 'first'))).toContain('announce that with --above 2.');
    // The same backup is put back again: it contains epoch 1 only.
    await pool.query('delete from server_epoch where epoch = 2');
    const { now } = await declareRestored(pool, 'again', 2);
    expect(now.epoch).toBe(3);
    expect((await declareRestored(pool, 'an unnecessary --above', 1)).now.epoch).toBe(4);
  });

  test('a report of a restore is an act, and works on a backup of a release that had none', async () => {
    const { pool } = await createDatabase();
    await ensureEpoch(pool);
    await declareRestored(pool, 'disk failure');
    const { rows } = await pool.query('select by, act, subject_kind, subject, reason from operator_act');
    const act = { by: 'npm run ops', act: 'restored', subject_kind: 'database', subject: 'epoch 2' };
    expect(rows).toEqual([{ ...act, reason: 'disk failure' }]);

    const old = await createDatabase({ empty: true });
    const folder = await releaseBefore('0042');
    await migrate(old.url, recordedLog(), folder);
    await ensureEpoch(old.pool);
    const options = { autocloseSeconds: 600, keyFile: '' };
    const text = await runOpsCommand(parseOpsCommand(['restored', '--reason', 'disk failure']), old.pool, options);
    expect(text).toContain('Epoch 2 has begun');
    const refused = runOpsCommand({ verb: 'heal-clock', yes: true }, old.pool, options);
    await expect(refused).rejects.toThrow('this database is of an earlier release: run npm run migrate first');
    await migrate(old.url, recordedLog());
    expect(await ensureEpoch(old.pool)).toBe(2);
    const healed = await runOpsCommand({ verb: 'heal-clock', yes: true }, old.pool, options);
    expect(healed).toContain('0 stops of 0 routes are dated back');
    const acts = await old.pool.query('select act, subject from operator_act');
    expect(acts.rows).toEqual([{ act: 'healClock', subject: 'clock' }]);
  });

  test('a running server must not continue after a restore, even if its connections are open', async () => {
    const { pool, url } = await createDatabase();
    const log = recordedLog();
    const listener = await startListener({ url, log });
    const { promise: lostDatabase, resolve } = Promise.withResolvers<StartError>();
    const stopWatching = await watchEpoch({ db: pool, listener, log }, await ensureEpoch(pool), resolve);
    await declareRestored(pool, 'reported late');
    expect((await lostDatabase).message).toBe('this database lives epoch 2, and this server belongs to epoch 1');
    stopWatching();
    await listener.stop();
  });

  test('lists the servers that still run in the old epoch', async () => {
    const { pool, url } = await createDatabase();
    await ensureEpoch(pool);
    expect(describeRestored(await declareRestored(pool, ''))).toContain('1. Start the servers.');
    const running = createPool({ url, name: 'tailgate api', log: recordedLog() });
    await running.query('select');
    const restored = await declareRestored(pool, '');
    await running.end();
    expect(restored.servers).toEqual(['tailgate api']);
    expect(describeRestored(restored)).toContain('(tailgate api) and belong to the old epoch: each of them ends now');
  });

  test('there is nothing to restore where no server has ever been', async () => {
    const { pool } = await createDatabase({ empty: true });
    await expect(declareRestored(pool, '')).rejects.toThrow('no server has ever started on this database');
  });
});

describe('npm run ops', () => {
  test('takes a reason, and the newest epoch that the database lost', () => {
    expect(parseOpsCommand(['restored', '--reason', 'disk failure'])).toEqual({
      verb: 'restored',
      reason: 'disk failure',
      above: 0,
    });
    expect(parseOpsCommand(['restored', '--above', '2'])).toMatchObject({ above: 2 });
  });

  test.each([
    [[], 'there are restored, unregister'],
    [['restore'], 'no command is named restore: there are restored, unregister'],
    [['restored', 'twice'], 'npm run ops -- restored [--reason TEXT] [--above EPOCH]'],
    [['restored', '--above', 'two'], '--above: expected a whole number from 0, got "two"'],
    [['restored', '--above', '99999'], '--above: expected an epoch below 99999, got 99999'],
    [['heal-clock', '--above', '2'], 'npm run ops -- heal-clock'],
    [['restored', '--why'], "Unknown option '--why' (--help says what there is)"],
  ])('refuses %j', (argv, line) => {
    expect(() => parseOpsCommand(argv)).toThrow(line);
  });
});
