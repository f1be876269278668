import { beforeAll, expect, test } from 'vitest';
import { Chance } from '../simulate/chance.ts';
import { download } from '../support/uploads.ts';
import type { Finger } from './finger.ts';
import type { Stopped } from './counted-operations.ts';
import { countOperations, stopAtOperation } from './counted-operations.ts';
import type { PagePhone } from './page-phone.ts';
import { cameraPhoto, filesOnPhone } from './stored-files.ts';
import type { HostStop, PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

// `KILL_SEED=… npm run test:pages -- killed` chooses the same operations again, KILL_STEPS=7,12 these two, and
// KILL_STEPS=all every one (`npm run soak -- killed-app`), and more of them while no file can leave.
const { KILL_SEED: givenSeed = '1', KILL_STEPS: wanted = '' } = process.env;
const sampleSize = wanted === 'all' ? 12 : 2;
const eachMs = 90_000;
/** The sentence of the first tick; the files of a stop have sentences of their own. */
const tick = 'It survives a restart or an empty battery.';
const signer = 'Rosa Delgado';
/** Lines that a stop shows without a tap on their heading; each stop has one of them. */
const unfolded = ['Spring Water 24 ct', 'Cola 24 ct', 'Lottery Roll Display'];
const { driver, key } = routes.long;
const uploads = /uploads|files|tus/;
/** About as many as a delivery has without an answer to its files. */
const operationsWithoutFiles = 60;

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(driver);
});

test(
  'killed at the n-th operation of a delivery with photo and signature: all with a tick is on the host, once',
  async ({ annotate }) => {
    const { phone, photo } = await countingPhone();
    await phone.page.evaluate(() => globalThis.operations.begin(Infinity));
    await deliver(phone, photo);
    await untilHosted(1);
    const names = await phone.page.evaluate(() => globalThis.operations.names);
    expect(names.length).toBeGreaterThan(20);
    await annotate(`KILL_SEED=${givenSeed}, ${names.length} operations: ${names.join(', ')}`);

    for (const [place, n] of chosen(names.length).entries()) {
      const stop = place + 2;
      await phone.restart();
      await phone.finger.sees(`Next · stop ${stop}`);
      const { operation, shown } = await killAt(phone, n, photo);
      const hasTick = shown.includes(tick);
      await annotate(`n=${n}, stop ${stop}: killed before “${operation}”, ${hasTick ? 'with' : 'without'} a tick`);

      const finger = await phone.start();
      await finger.sees('Next · stop');
      const isRecorded = (await finger.read()).includes(`Next · stop ${stop + 1}`);
      expect(hasTick && !isRecorded, `stop ${stop} had a tick and is not recorded, n=${n}`).toBe(false);
      await phone.goOnline();
      if (!isRecorded) await deliverAgain(finger, stop);
      await finger.sees('Connected. All is saved.');
      const row = await untilHosted(stop);
      if (isRecorded) await untilEvidence(stop, row);
      expect(await timesRecorded(stop), `stop ${stop}, n=${n}`).toBe(1);
    }
  },
  (wanted === '' ? sampleSize + 2 : 150) * eachMs,
);

test(
  'killed while no file can leave: photo and signature of a tick survive each kill, and arrive later, once',
  async ({ annotate }) => {
    const { phone } = await countingPhone();
    // Changes pass, files do not.
    await phone.context.route(uploads, (request) => request.abort());
    const kept = new Map<number, readonly string[]>();
    for (const n of places(operationsWithoutFiles)) {
      const stop = await nextStop(await phone.restart());
      // Another photo each time: the phone keeps equal ones once.
      const photo = await cameraPhoto(phone.page, stop, [800, 600]);
      const { operation, shown } = await killAt(phone, n, photo);
      const hasTick = shown.includes(tick);
      await annotate(`n=${n}, stop ${stop}: killed before “${operation}”, ${hasTick ? 'with' : 'without'} a tick`);
      const finger = await phone.start();
      const isRecorded = (await nextStop(finger)) !== stop;
      expect(hasTick && !isRecorded, `stop ${stop} had a tick and is not recorded, n=${n}`).toBe(false);
      await phone.goOnline();
      if (!isRecorded) await deliverAgain(finger, stop);
      await untilHosted(stop);
      const files = await filesOnPhone(phone.page);
      const named = await filesNamed(stop, files);
      const least = isRecorded ? 2 : 0;
      expect(named.length, `photo and signature of stop ${stop}, n=${n}`).toBeGreaterThanOrEqual(least);
      kept.set(stop, named);
      for (const [earlier, ids] of kept)
        expect(files, `files of stop ${earlier}, after n=${n}`).toEqual(expect.arrayContaining([...ids]));
    }
    const all = [...kept.values()].flat();
    expect(all.length).toBeGreaterThan(0);
    expect(await arrived(all)).toEqual([]);

    const onPhone = await filesOnPhone(phone.page);
    const others = await arrived();
    await phone.context.unroute(uploads);
    const finger = await phone.restart();
    await finger.tap('My day');
    // Another sentence where other phones have recorded stops of the route, as in the test before.
    await finger.sees(/All (from this phone is )?at the office/);
    expect((await arrived(all)).sort()).toEqual(all.sort());
    const unknown = (await arrived()).filter((id) => !others.includes(id) && !onPhone.includes(id));
    expect(unknown, 'files that arrived under another id').toEqual([]);
  },
  (sampleSize + 2) * eachMs,
);

/** A phone with the long route, whose page counts its operations. */
async function countingPhone() {
  const phone = await world.phone();
  await phone.context.addInitScript(countOperations);
  await phone.start();
  await phone.signIn(driver);
  await phone.untilInstalled();
  await phone.untilStored(150);
  return { phone, photo: await cameraPhoto(phone.page, 3, [800, 600]) };
}

/** The number of the next stop on the route's screen. */
async function nextStop(finger: Finger): Promise<number> {
  await finger.sees('Next · stop');
  const [, number] = /Next · stop (\d+)/.exec(await finger.read()) ?? [];
  return Number(number);
}

/** Delivers a half-filled stop as it is, until it is saved. */
async function deliverAgain(finger: Finger, stop: number): Promise<void> {
  await finger.tap(`Open stop ${stop}`);
  await finger.tap('Deliver');
  await finger.sees(tick);
  await finger.tap('Close');
}

/** Of these files, those that the change of a stop names. */
async function filesNamed(stop: number, files: readonly string[]): Promise<string[]> {
  const { rows } = await world.service.database.pool.query<{ body: string }>(
    `select body from ledger where source = 'sync' and route_id = $1 and stop_id = $2`,
    [key.id, stop],
  );
  return files.filter((id) => rows.some(({ body }) => body.includes(id)));
}

/** Files at the server; of `ids`, or all. */
async function arrived(ids?: readonly string[]): Promise<string[]> {
  const { rows } = await world.service.database.pool.query<{ id: string }>(`select id from asset where state = 'R'`);
  return rows.map(({ id }) => id).filter((id) => ids === undefined || ids.includes(id));
}

/** All operations, those that are asked for, or one of each equal part. */
function chosen(operations: number): number[] {
  if (wanted === 'all') return Array.from({ length: operations }, (_, place) => place + 1);
  if (wanted !== '') return wanted.split(',').map(Number);
  return places(operations);
}

/** One of each equal part. */
function places(operations: number): number[] {
  const chance = new Chance(Number(givenSeed));
  const part = operations / sampleSize;
  return Array.from({ length: sampleSize }, (_, place) => Math.floor((place + chance.fraction()) * part) + 1);
}

/** A delivery of the next stop, a line of it short with a photo, and signed. */
async function deliver({ finger }: PagePhone, photo: Awaited<ReturnType<typeof cameraPhoto>>): Promise<void> {
  await finger.tap('Open stop');
  await finger.sees('Deliver');
  const shown = await finger.read();
  await finger.tap(unfolded.find((line) => shown.includes(line)) ?? 'a line of an unfolded section');
  await finger.tap('One less');
  await finger.tap('Damaged');
  await finger.photograph('Take a photo', photo);
  await finger.sees('Another photo');
  await finger.tap('Save');
  await finger.tap('Name and signature');
  await finger.type('Name of the person who signs', signer);
  await finger.draw('Signature field');
  await finger.tap('Done');
  await finger.tap('Deliver');
  await finger.sees('Where is this delivery now?');
  await finger.sees('At the back office');
}

/** Delivers until the page has stopped at its n-th operation, ends its process, and takes the network away. */
async function killAt(phone: PagePhone, n: number, photo: Awaited<ReturnType<typeof cameraPhoto>>): Promise<Stopped> {
  const { stopped } = await stopAtOperation(phone.page, n);
  const story = deliver(phone, photo);
  // The delivery of a stopped page ends with an error, and has no more than n operations where it ends without one.
  const ended = story.then((): Stopped => ({ operation: 'none: the delivery has ended', shown: tick }));
  const end = await Promise.race([stopped, ended]);
  world.network.refuse();
  world.network.cut();
  await phone.kill();
  await story.catch(() => undefined);
  return end;
}

async function untilHosted(stop: number): Promise<HostStop> {
  let found: HostStop | undefined;
  await world.untilOnHost(key, (rows) => {
    found = rows.find((row) => row.stop === stop && row.status === 'D');
    return found !== undefined;
  });
  if (!found) throw new Error(`stop ${stop} is not on the host`);
  return found;
}

/** Name, photo and signature of a stop are at the server, once. */
async function untilEvidence(stop: number, row: HostStop): Promise<void> {
  expect(row.signer).toBe(signer);
  const where = (prefix: string): string =>
    `${prefix}FAC = '${key.facility}' and ${prefix}RTE = '${key.id}' and ${prefix}WKE = '${key.week_end}' and ${prefix}STP = ${stop}`;
  const [[signed], osd] = [
    await world.service.show('RTSTUP', where('RU')),
    await world.service.show('RTOSDP', where('OS')),
  ];
  expect(osd).toHaveLength(1);
  for (const id of [signed?.['RUSIG'], osd[0]?.['OSIMG']])
    await expect.poll(async () => (await download(world.service.rest, String(id).trim())).status).toBe(200);
}

/** How many changes of a stop the server has taken. */
async function timesRecorded(stop: number): Promise<number | undefined> {
  const { rows } = await world.service.database.pool.query<{ n: number }>(
    `select count(*)::int as n from ledger where source = 'sync' and route_id = $1 and stop_id = $2`,
    [key.id, stop],
  );
  return rows[0]?.n;
}
