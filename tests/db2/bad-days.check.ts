import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseCommand, runCommand } from '../../server/src/host/tools/cli.ts';
import { openDb2 } from '../../server/src/host/db2/open-db2.ts';
import { db2Address } from '../support/driven-host.ts';
import { atFileEnd } from '../support/file-end.ts';
import { hostFailure } from '../support/host-failure.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

// Failures of connections and files of a real host, through the real ibm_db package. Failures common to both drivers
// are in tests/host (broken-links, conformance).

const { database, clerk, host: direct } = await createHost();
const { pool } = database;
const proxy = await startTcpProxy(Number(new URL(database.url).port));
const log = recordedLog();
const host = await openDb2({
  url: db2Address(proxy.through(database.url)),
  library: 'PODDTA',
  program: 'TAILGATE',
  size: 1,
  log,
});
atFileEnd(() => host.close());

const insert = (name: string) => `insert into PODDTA.RTHDRP (RHFAC, RHRTE, RHWKE) values ('F01', '${name}', 20261121)`;
const isThere = async (name: string) =>
  (await direct.query('select RHRTE from PODDTA.RTHDRP where RHRTE = ?', [name])).length > 0;
/** The processes that hold this process's connections. */
const lines = () =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('connection-process.ts'))
    .map((line) => Number.parseInt(line, 10));

describe('a connection', () => {
  test('a commit without an answer leaves nothing behind, and does not count as delivered', async () => {
    const work = host.transaction(async (tx) => {
      await tx.execute(insert('GONE'));
      // No statement comes between: the commit is the first to fail.
      proxy.cut();
    });
    expect(await hostFailure(work)).toMatchObject({ sqlstate: '08007', kind: 'passing' });
    expect(await isThere('GONE')).toBe(false);
  });

  test('one that broke while idle is replaced before the next use', async () => {
    await host.ping();
    proxy.cut();
    await hostFailure(host.query('select RHRTE from PODDTA.RTHDRP'));
    expect(await host.ping()).toMatchObject({ library: 'PODDTA' });
  });

  test('one whose process is killed within a transaction is replaced, and nothing is written', async () => {
    await host.ping();
    const before = lines();
    const work = host.transaction(async (tx) => {
      await tx.execute(insert('KILLED'));
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await tx.execute(insert('AFTER'));
    });
    expect(await hostFailure(work)).toMatchObject({ sqlstate: '08003', kind: 'passing' });
    await host.ping();
    expect(await isThere('KILLED')).toBe(false);
  });

  test('to a host that is unreachable fails as temporary, and so do all waiting callers', async () => {
    await host.ping();
    proxy.refuse();
    proxy.cut();
    const asked = [1, 2, 3].map(() => hostFailure(host.query('select RHRTE from PODDTA.RTHDRP')));
    for (const error of await Promise.all(asked)) expect(error.kind).toBe('passing');
    await proxy.accept();
    expect(await host.ping()).toMatchObject({ library: 'PODDTA' });
  });
});

describe('a host that refuses', () => {
  test('a wrong password fails as set-up, and the error does not contain it', async () => {
    const url = new URL(database.url);
    url.password = 'not-this-secret';
    const opening = openDb2({ url: db2Address(url.href), library: 'PODDTA', program: 'TAILGATE', log });
    const error = await hostFailure(opening);
    expect(error.kind).toBe('setup');
    expect(error.message).not.toContain('not-this-secret');
  });

  test('a deferred check fails at the commit: nothing is written, and the connection stays usable', async () => {
    await pool.query(`create table PODDTA.DEFERRED (ID int primary key, PARENT int
      references PODDTA.DEFERRED deferrable initially deferred)`);
    const work = host.transaction((tx) => tx.execute('insert into PODDTA.DEFERRED values (1, 99)'));
    expect((await hostFailure(work)).kind).toBe('poison');
    expect(await host.query('select ID from PODDTA.DEFERRED')).toEqual([]);
  });

  test('a deadlock is passing', async () => {
    await clerk.query(insert('D1'));
    await clerk.query(insert('D2'));
    const update = (name: string) => `update PODDTA.RTHDRP set RHOPEN = RHOPEN + 1 where RHRTE = '${name}'`;
    const firstRow = Promise.withResolvers<void>();
    const secondRow = Promise.withResolvers<void>();
    const writeBoth = (own: typeof firstRow, other: typeof firstRow, first: string, second: string) =>
      (own === firstRow ? host : clerk).transaction(async (tx) => {
        await tx.execute(update(first));
        own.resolve();
        await other.promise;
        await tx.execute(update(second));
      });
    const ended = await Promise.allSettled([
      writeBoth(firstRow, secondRow, 'D1', 'D2'),
      writeBoth(secondRow, firstRow, 'D2', 'D1'),
    ]);
    const failed = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
    expect(failed).toMatchObject([{ sqlstate: '40001', sqlcode: -911, kind: 'passing' }]);
  });

  test('a write of a file without a journal is repeated without commitment control', async () => {
    await pool.query(`create function journal() returns trigger language plpgsql as $$ begin
      if current_query() not like '/* with nc */%' then
        raise exception using errcode = '55019', message = 'SLSREPP is not valid for the operation';
      end if; return new; end $$`);
    await pool.query(
      'create trigger journal before insert or update on PODDTA.SLSREPP for each row execute function journal()',
    );
    const write = () => host.transaction((tx) => tx.execute("insert into PODDTA.SLSREPP (SRID) values ('S1')"));
    expect(await hostFailure(write())).toMatchObject({ sqlstate: '40000', sqlcode: -7008, kind: 'passing' });
    expect(await write()).toBe(1);
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'warn', fields: { file: 'SLSREPP' } }));
  });
});

test('a closed host leaves no process, and refuses requests', async () => {
  const other = await openDb2({ url: db2Address(database.url), library: 'PODDTA', program: 'TAILGATE', log });
  const before = lines();
  await Promise.all([other.ping(), other.ping(), other.ping()]);
  expect(lines().length).toBeGreaterThan(before.length);
  await other.close();
  expect(lines().length).toBeLessThan(before.length);
  expect((await hostFailure(other.query('select RHRTE from PODDTA.RTHDRP'))).kind).toBe('passing');
});

test('the command writes to a real host only after a second confirmation, and has no faults for it', async () => {
  const around = { host, now: new Date(), isTerminal: false, print: () => undefined, warn: () => undefined };
  const statement = insert('TYPED');
  const run = (...argv: string[]) => runCommand(parseCommand(argv), around);
  await expect(run('sql', statement)).rejects.toThrow('--yes');
  await expect(run('sql', `select RHRTE from final table (${statement})`)).rejects.toThrow('--yes');
  await expect(run('load', 'routes.json')).rejects.toThrow('--yes');
  await expect(run('fault', 'outage', 'on')).rejects.toThrow('stand-in');
  expect(await isThere('TYPED')).toBe(false);
  await run('sql', statement, '--yes');
  expect(await isThere('TYPED')).toBe(true);
});
