import { beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../server/src/db/pool.ts';
import { applyRetention } from '../../server/src/ops/retention/retention.ts';
import { atFileEnd } from '../support/file-end.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { copyMaster, copyRoute } from '../support/second-depot.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { allOnHost, openSignedUp, until, type Device } from '../system/device.ts';
import { demoRoute } from '../system/service.ts';
import { openCluster, type CitusCell } from './citus-cells.ts';

// Two cells on two workers of a Citus cluster, on one library of the host, as docs/scaling.md makes them.

const cluster = openCluster(process.env['CITUS_URL'] ?? '');
const { admin } = cluster;
const northRoute = demoRoute('R100');
const southRoute = { ...northRoute, facility: 'F02', id: 'S100' };

let north: CitusCell;
let south: CitusCell;
let library: TestDatabase;
let mails: MailServer;
let other: ServerProcess;
let phone: Device;
let mate: Device;
let southPhone: Device;

beforeAll(async () => {
  [north, south] = [await cluster.makeCell('north'), await cluster.makeCell('south')];
  const taken = await north.node();
  const free = (await cluster.workers()).find((worker) => worker !== taken) ?? '';
  if ((await south.node()) !== free) await south.moveTo(free);
  library = await createDatabase({ empty: true });
  mails = await startMailServer();
  const env = async ({ name, url }: CitusCell, facility: string, demo: string) => ({
    DATABASE_URL: url,
    CELL: name,
    FACILITIES: facility,
    LEGACY_URL: library.url,
    DATA_DIR: await temporaryFolder(),
    HOST_POLL_SECONDS: '1',
    SMTP_URL: mails.url,
    DEMO: demo,
  });
  const ofNorth = await env(north, 'F01', '1');
  const node = await startServer(ofNorth);
  other = await startServer(ofNorth, ['--role', 'api']);
  await copyMaster(library, 'facmstp', `fafac = 'F01'`, { fafac: 'F02', fanam: 'Springfield' });
  await copyMaster(library, 'empmstp', `ememp = '1001'`, { ememp: '2001', emfac: 'F02' });
  await copyRoute(library, { ...northRoute, driver: '1001' }, { ...southRoute, driver: '2001' });
  const southNode = await startServer(await env(south, 'F02', '0'));
  phone = await openSignedUp(node.port, '1001');
  mate = await openSignedUp(other.port, '1002');
  southPhone = await openSignedUp(southNode.port, '2001');
});

const ledgerOf = async (cell: CitusCell, ids: readonly string[]) =>
  (
    await admin.query<{ n: number; ids: number }>(
      `select count(*)::int as n, count(distinct id)::int as ids from ${cell.name}.ledger where id = any ($1::uuid[])`,
      [ids],
    )
  ).rows;

describe('cells on a Citus cluster', () => {
  test('a change reaches the host and a phone at the other node', async () => {
    const receipt = phone.app.updateStop(northRoute, {
      id: 1,
      updates: { status: 'D', driver_comments: 'through Citus' },
    });
    await allOnHost(phone.app, [receipt.id]);
    const seen = await until(mate.app.stop(1, northRoute), (stop) => stop?.updates.driver_comments === 'through Citus');
    expect(seen?.updates.status).toBe('D');
  });

  test('two cells are on two workers, and a change of each reaches the host and its own tables alone', async () => {
    expect([await north.node(), await south.node()].toSorted()).toEqual(await cluster.workers());
    const { id } = southPhone.app.updateStop(southRoute, { id: 1, updates: { driver_comments: 'of the south' } });
    await allOnHost(southPhone.app, [id]);
    expect(await ledgerOf(south, [id])).toEqual([{ n: 1, ids: 1 }]);
    expect(await ledgerOf(north, [id])).toEqual([{ n: 0, ids: 0 }]);
    const { rows } = await library.pool.query(
      `select trim(rufac) as rufac, trim(rucmt) as rucmt from poddta.rtstup where rustp = 1 order by 1`,
    );
    expect(rows).toEqual([
      { rufac: 'F01', rucmt: 'through Citus' },
      { rufac: 'F02', rucmt: 'of the south' },
    ]);
  });

  test('a delivery sends its mail once, and nothing is owed behind it', async () => {
    const receipt = phone.app.updateStop(northRoute, {
      id: 6,
      updates: { status: 'D', osd_emails: ['store6@example.com'] },
    });
    const found = await mails.mail(({ recipients }) => recipients.includes('store6@example.com'));
    expect(found.headers.get('message-id')).toContain(receipt.id);
    const count = async (text: string) => (await admin.query<{ n: number }>(text)).rows[0]?.n;
    await expect.poll(() => count(`select count(*)::int as n from ${north.name}.owed_delivery`)).toBe(0);
    expect(
      await count(`select count(*)::int as n from ${north.name}.mail_sent where mutation_id = '${receipt.id}'`),
    ).toBe(1);
    expect(mails.received.filter(({ recipients }) => recipients.includes('store6@example.com'))).toHaveLength(1);
  });

  test('a cell moves to another node under load: nothing is lost or doubled, and the servers go on', async ({
    annotate,
  }) => {
    const to = await south.node();
    const moving = north.moveTo(to);
    const receipts = Array.from({ length: 200 }, (_, n) =>
      phone.app.updateStop(northRoute, { id: 2 + (n % 4), updates: { driver_comments: `change ${n}` } }),
    );
    await Promise.all(receipts.map(({ accepted }) => accepted));
    await moving;
    expect(await north.node()).toBe(to);
    const ids = receipts.map(({ id }) => id);
    await allOnHost(phone.app, ids);
    expect(await ledgerOf(north, ids)).toEqual([{ n: 200, ids: 200 }]);
    // The epoch has the history of the new node: a server starts.
    await other.stop();
    await other.start();
    const found = await north.check();
    expect(found).toContain(`on ${to}`);
    expect(found).toMatch(/ 0 several$/);
    await annotate(found);
  });

  test('retention deletes the changes of a closed route, and no other cell loses one', async () => {
    const of = async (cell: CitusCell, text: string) =>
      (await admin.query<{ n: number }>(text.replaceAll('CELL', cell.name))).rows[0]?.n;
    const changes = `select count(*)::int as n from CELL.ledger where route_id = any ('{R100,S100}')`;
    const [kept, before] = [await of(south, changes), await of(north, changes)];
    expect(kept).toBeGreaterThan(0);
    expect(before).toBeGreaterThan(200);
    await admin.query(`update ${north.name}.route set status = 'C', closed_at = now() where id = 'R100'`);
    const db = createPool({ url: north.url, name: 'test of retention', log: recordedLog(), size: 1 });
    atFileEnd(() => db.end());
    const later = new Date(Date.now() + 100 * 86_400_000);
    const days = 90;
    const retention = { ledger: days, routes: days, files: days, mails: days, incidents: days, acts: days };
    await expect
      .poll(async () => {
        // Changes stay until the log has their leaves.
        await applyRetention({ db, retention, clock: () => later, log: recordedLog() });
        return of(north, changes);
      })
      .toBe(0);
    expect(await of(north, 'select count(*)::int as n from CELL.mail_sent')).toBe(0);
    expect(await of(south, changes)).toBe(kept);
  });
});
