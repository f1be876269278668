import { expect, test } from 'vitest';
import { createPool } from '../../server/src/db/pool.ts';
import { parseOpsCommand, runOpsCommand } from '../../server/src/ops/commands/cli.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startServer } from '../support/server-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { allOnHost, openSignedUp } from '../system/device.ts';
import { RouteHistory, hostStateOf } from '../system/route-history.ts';
import { demoRoute, openService } from '../system/service.ts';
import { WorkingDriver } from './working-driver.ts';
import { openReplicatedPostgres } from './replicated-postgres.ts';

/** Changes of each phone, and the number acknowledged when the primary is killed. */
const CHANGES = 40;
const BEFORE = 25;

test('a PostgreSQL fail-over loses no acknowledged change, ends the servers with a reason, and phones and host converge', async () => {
  const postgres = await openReplicatedPostgres();
  // The servers' address leads to the PostgreSQL that is the primary.
  const address = await startTcpProxy(postgres.primary.port);
  const service = await openService({ databaseUrl: () => address.through(postgres.primary.url) });
  const { server } = service;
  const other = await startServer(service.env);
  const [day, otherDay] = [new RouteHistory(demoRoute('R100')), new RouteHistory(demoRoute('R200'))];
  const drivers = [
    new WorkingDriver(await openSignedUp(server.port, '1001'), day, [1, 2, 3, 4, 5, 6]),
    new WorkingDriver(await openSignedUp(other.port, '1002'), day, [7, 8, 9, 10, 11, 12]),
    new WorkingDriver(await openSignedUp(other.port, '1003'), otherDay, [1, 2, 3]),
  ];
  const working = drivers.map((driver) => driver.work(CHANGES));
  await Promise.all(drivers.map((driver) => driver.has(BEFORE)));
  await postgres.primary.crash();
  address.refuse();
  address.cut();
  await postgres.promoteStandby();

  const pool = createPool({ url: postgres.standby.url, name: 'a look', log: recordedLog() });
  atFileEnd(() => pool.end());
  const inLedger = async (): Promise<string[]> =>
    (await pool.query<{ id: string }>(`select id from ledger where source = 'sync'`)).rows.map(({ id }) => id);
  const inLedgerAfter = new Set(await inLedger());
  const lost = drivers.flatMap(({ acknowledged }) => [...acknowledged]).filter((id) => !inLedgerAfter.has(id));
  expect(lost).toEqual([]);

  const endings = [server.ended(), other.ended()];
  address.retarget(postgres.standby.port);
  await address.accept();
  expect(await Promise.all(endings)).toEqual([1, 1]);
  const why = /Tailgate cannot go on\. this database has been restored or failed over \(.*timeline 2, it was on 1\)/;
  for (const { output } of [server, other]) expect(output).toMatch(why);
  await runOpsCommand(parseOpsCommand(['restored', '--reason', 'fail-over']), pool, {
    autocloseSeconds: 600,
    keyFile: '',
  });
  await Promise.all([server.start(), other.start()]);
  await Promise.all(working);
  await Promise.all(drivers.map(({ phone, ids }) => allOnHost(phone.app, ids)));
  expect((await inLedger()).toSorted()).toEqual(drivers.flatMap(({ ids }) => ids).toSorted());
  expect(await hostStateOf(service, day.route)).toEqual(day.expected());
  expect(await hostStateOf(service, otherDay.route)).toEqual(otherDay.expected());
});
