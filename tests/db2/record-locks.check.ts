import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openDb2 } from '../../server/src/host/db2/open-db2.ts';
import { isLocal } from '../../server/src/host/host.ts';
import { db2Address } from '../support/driven-host.ts';
import { atFileEnd } from '../support/file-end.ts';
import { hostFailure } from '../support/host-failure.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

// A lock that a host would wait for longer than a statement may take, through the real ibm_db package.

const { database, clerk } = await createHost();
const { pool } = database;

const openOn = async (keywords: string) => {
  const url = `${db2Address(database.url)}?${keywords}`;
  const host = await openDb2({ url, library: 'PODDTA', program: 'TAILGATE', size: 1, log: recordedLog() });
  atFileEnd(() => host.close());
  return host;
};
const patient = 'StandInLockMs=60000';
const ibmI = await openOn(patient);
const luw = await openOn(`${patient}&StandInDbms=DB2/LINUXX8664`);

const update = "update PODDTA.RTHDRP set RHOPEN = 1 where RHRTE = 'HELD'";
const whileLocked = async (work: () => Promise<void>) => {
  const locker = await pool.connect();
  await locker.query('begin');
  await locker.query("select from PODDTA.RTHDRP where RHRTE = 'HELD' for update");
  await work();
  await locker.query('rollback');
  locker.release();
};
await clerk.query("insert into PODDTA.RTHDRP (RHFAC, RHRTE, RHWKE) values ('F01', 'HELD', 20261121)");

test('Db2 LUW, which waits without end by default, gives up after three seconds', async () => {
  await whileLocked(async () => {
    const begin = performance.now();
    const error = await hostFailure(luw.transaction((tx) => tx.execute(update)));
    expect(error).toMatchObject({ sqlstate: '57033', kind: 'passing' });
    expect(performance.now() - begin).toBeLessThan(8_000);
  });
});

test('on Db2 for i the statement limit ends the wait: these rows fail, and the connection stays usable', async () => {
  await whileLocked(async () => {
    const error = await hostFailure(ibmI.transaction((tx) => tx.execute(update)));
    expect(error).toMatchObject({ sqlstate: '57014', kind: 'passing' });
    expect(isLocal(error)).toBe(true);
    expect(await ibmI.query("select RHRTE from PODDTA.RTHDRP where RHRTE = 'HELD'")).toHaveLength(1);
  });
});

test('a statement without an answer costs its connection, and counts as a failure of its rows', async () => {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  const lines = children.split('\n').filter((text) => text.includes('connection-process.ts'));
  const work = ibmI.transaction(async (tx) => {
    for (const line of lines) process.kill(Number.parseInt(line, 10), 'SIGSTOP');
    await tx.execute(update);
  });
  expect(await hostFailure(work)).toMatchObject({ sqlstate: '57014', kind: 'passing' });
  expect(await ibmI.ping()).toMatchObject({ library: 'PODDTA' });
});
