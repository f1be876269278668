import type { Receipt } from '@tailgate/client-sdk';
import { expect, test } from 'vitest';
import { createPool } from '../../server/src/db/pool.ts';
import { parseOpsCommand, runOpsCommand } from '../../server/src/ops/cli.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startServer } from '../support/server-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { allOnHost, openSignedUp, type Device } from '../system/device.ts';
import { Diary, hostHolds } from '../system/diary.ts';
import { demoRoute, openService } from '../system/service.ts';
import { openReplicatedPostgres } from './replicated-postgres.ts';

/** Changes that each phone has had acknowledged when the primary dies; so many are on their way then, and all of them. */
const BEFORE = 25;
const ON_THEIR_WAY = 5;
const CHANGES = 40;

/** A driver at work: some changes are always on their way, whatever becomes of the server. */
class AtWork {
  readonly phone: Device;
  /** Ids of what the server has said that it has. */
  readonly acknowledged = new Set<string>();
  readonly ids: string[] = [];
  readonly #diary: Diary;
  readonly #stops: readonly number[];
  readonly #busy = Promise.withResolvers<void>();

  constructor(phone: Device, diary: Diary, stops: readonly number[]) {
    this.phone = phone;
    this.#diary = diary;
    this.#stops = stops;
  }

  get busy(): Promise<void> {
    return this.#busy.promise;
  }

  /** Resolves when the last change is recorded. */
  async work(): Promise<void> {
    const answers: Promise<unknown>[] = [];
    for (let n = 0; n < CHANGES; n++) {
      const { id, accepted } = this.#record(n);
      this.ids.push(id);
      answers.push(accepted.then(() => this.#acknowledge(id)));
      await answers[n - ON_THEIR_WAY];
    }
  }

  #record(n: number): Receipt {
    // Another stop each time: what is said twice of one stop may become one change.
    const id = this.#stops[n % this.#stops.length] ?? 0;
    const end_delivery_time = `2026-11-20T16:00:${String(n).padStart(2, '0')}.000Z`;
    const updates = { status: 'D', end_delivery_time, driver_comments: `word ${n}` } as const;
    return this.#diary.update(this.phone.app, { id, updates });
  }

  #acknowledge(id: string): void {
    this.acknowledged.add(id);
    if (this.acknowledged.size === BEFORE) this.#busy.resolve();
  }
}

test('a PostgreSQL fail-over: nothing acknowledged is lost, servers end and say why, phones and host find together', async () => {
  const postgres = await openReplicatedPostgres();
  // The address that servers know leads to whichever PostgreSQL is the primary.
  const address = await startTcpProxy(postgres.primary.port);
  const service = await openService({ databaseUrl: () => address.through(postgres.primary.url) });
  const { server } = service;
  const other = await startServer(service.env);
  const [day, otherDay] = [new Diary(demoRoute('R100')), new Diary(demoRoute('R200'))];
  const drivers = [
    new AtWork(await openSignedUp(server.port, '1001'), day, [1, 2, 3, 4, 5, 6]),
    new AtWork(await openSignedUp(other.port, '1002'), day, [7, 8, 9, 10, 11, 12]),
    new AtWork(await openSignedUp(other.port, '1003'), otherDay, [1, 2, 3]),
  ];
  const working = drivers.map((driver) => driver.work());
  await Promise.all(drivers.map(({ busy }) => busy));
  await postgres.killPrimary();
  address.refuse();
  address.cut();
  await postgres.promoteStandby();

  const pool = createPool({ url: postgres.standby.url, name: 'a look', log: recordedLog() });
  atFileEnd(() => pool.end());
  const inLedger = async (): Promise<string[]> =>
    (await pool.query<{ id: string }>(`select id from ledger where source = 'sync'`)).rows.map(({ id }) => id);
  const kept = new Set(await inLedger());
  const lost = drivers.flatMap(({ acknowledged }) => [...acknowledged]).filter((id) => !kept.has(id));
  expect(lost).toEqual([]);

  const endings = [server.ended(), other.ended()];
  address.leadTo(postgres.standby.port);
  await address.accept();
  expect(await Promise.all(endings)).toEqual([1, 1]);
  const why = /Tailgate cannot go on\. this database has been restored or failed over \(.*timeline 2, it was on 1\)/;
  for (const { output } of [server, other]) expect(output).toMatch(why);
  await runOpsCommand(parseOpsCommand(['restored', '--reason', 'fail-over']), pool);
  await Promise.all([server.start(), other.start()]);
  await Promise.all(working);
  await Promise.all(drivers.map(({ phone, ids }) => allOnHost(phone.app, ids)));
  expect((await inLedger()).toSorted()).toEqual(drivers.flatMap(({ ids }) => ids).toSorted());
  expect(await hostHolds(service, day.route)).toEqual(day.expected());
  expect(await hostHolds(service, otherDay.route)).toEqual(otherDay.expected());
});
