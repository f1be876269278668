import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  adoptPrefix,
  ownPlace,
  readPlace,
  type OwnerDeps,
  type Place,
} from '../../../server/src/assets/objects/owner.ts';
import type { S3Store } from '../../../server/src/object-store/s3-store.ts';
import { sweepObjects } from '../../../server/src/assets/objects/sweep.ts';
import { beginEpoch, ensureEpoch } from '../../../server/src/db/epoch.ts';
import { withTransaction } from '../../../server/src/db/transaction.ts';
import { freshId } from '../../../server/src/stops/mutation-id.ts';
import { KillableProcess, unlessKilled } from '../../support/killable-process.ts';
import { TestStore } from '../../support/object-store.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';

const day = 24 * 3_600_000;
const bytes = Buffer.from('bytes of a photo');

let bucket: TestStore;
let store: S3Store;
let database: TestDatabase;
let place: Place;
let now: Date;
const log = recordedLog();

beforeAll(async () => {
  bucket = await TestStore.start();
  store = bucket.open();
});

beforeEach(async () => {
  database = await createDatabase();
  await ensureEpoch(database.pool);
  // The databases of a test cluster have one system identifier.
  place = { ...(await readPlace(database.pool)), prefix: `public/${freshId(new Date())}/1/` };
  await ownPlace(database.pool, place);
  now = new Date();
});

const depsOf = ({ pool }: TestDatabase, at: Place = place): OwnerDeps => ({
  db: pool,
  store,
  place: at,
  clock: () => now,
  log,
});
const sweep = (of = database) => sweepObjects(depsOf(of));
const after = (days: number) => (now = new Date(now.getTime() + days * day));
const objects = async () => (await bucket.keys()).filter((key) => key.startsWith(place.prefix) && !key.includes('/.'));

async function putAt(at: Date, prefix = place.prefix): Promise<string> {
  const key = `${prefix}${freshId(at)}`;
  await store.put(key, bytes);
  await bucket.date(key, at);
  return key;
}

/** A file whose bytes are this object. */
async function nameObject(object: string, { pool }: TestDatabase = database): Promise<void> {
  await pool.query(
    `insert into asset (id, batch, state, content, size, sha256, received_at, object)
     values ($1, $1, 'R', gen_random_uuid(), 1, '\\x00', now(), $1)`,
    [object],
  );
}

/** As a backup that is started beside the original: the same rows, and the same settings by mistake. */
async function copied(): Promise<TestDatabase> {
  const copy = await createDatabase();
  await ensureEpoch(copy.pool);
  const { rows } = await database.pool.query('select * from asset_store');
  await copy.pool.query('insert into asset_store select * from jsonb_populate_recordset(null::asset_store, $1)', [
    JSON.stringify(rows),
  ]);
  const { rows: gone } = await database.pool.query('select * from asset_gone_object');
  await copy.pool.query(
    'insert into asset_gone_object select * from jsonb_populate_recordset(null::asset_gone_object, $1)',
    [JSON.stringify(gone)],
  );
  return copy;
}

describe('the sweep of the store', () => {
  test('deletes objects of lost rows after a day, and never one that a file names', async () => {
    const [lost, named] = [await putAt(now), await putAt(now)];
    await nameObject(named);
    await database.pool.query('insert into asset_gone_object (object) values ($1), ($2)', [lost, named]);
    after(0.9);
    await sweep();
    expect(await objects()).toEqual([lost, named].toSorted());
    after(0.2);
    await sweep();
    expect(await objects()).toEqual([named]);
  });

  test('finds what a killed process left behind, once it is older than the longest upload', async () => {
    const [orphan, named] = [await putAt(now), await putAt(now)];
    await nameObject(named);
    after(7.5);
    const young = await putAt(now);
    await sweep();
    after(1);
    await sweep();
    expect(await objects()).toEqual([orphan, named, young].toSorted());
    after(1.1);
    await sweep();
    expect(await objects()).toEqual([named, young].toSorted());
  });

  test('believes the clock of the store where a name is too old', async () => {
    const key = `${place.prefix}${freshId(new Date(now.getTime() - 30 * day))}`;
    await store.put(key, bytes);
    await sweep();
    after(2);
    await sweep();
    expect(await objects()).toEqual([key]);
  });

  test('lists each object once: the next sweep continues behind it', async () => {
    for (let i = 0; i < 3; i++) await nameObject(await putAt(new Date(now.getTime() - 20 * day)));
    await sweep();
    const { rows } = await database.pool.query<{ listed_to: string }>('select listed_to from asset_store');
    expect(rows[0]?.listed_to).toBe((await objects()).at(-1));
  });

  test('touches no object of another database, cell or epoch', async () => {
    const others = [
      `public/${freshId(now)}/1/`,
      place.prefix.replace('public', 'north'),
      place.prefix.replace('/1/', '/2/'),
    ];
    const keys = [];
    for (const prefix of others) keys.push(await putAt(new Date(now.getTime() - 90 * day), prefix));
    await sweep();
    after(2);
    await sweep();
    const present = await bucket.keys();
    for (const key of keys) expect(present).toContain(key);
  });

  test('killed at any statement leaves the rest to the next sweep, and is no other database to it', async () => {
    const named = await putAt(now);
    await nameObject(named);
    for (let steps = 0, isKilled = true; isKilled; steps++) {
      await database.pool.query('insert into asset_gone_object (object) values ($1)', [await putAt(now)]);
      after(1.1);
      const process = new KillableProcess(steps);
      await sweepObjects({ ...depsOf(database), db: process.database(database.pool) }).catch(unlessKilled);
      isKilled = process.isKilled;
      // The claim of the killed process has expired.
      after(0.01);
      await sweep();
      expect(await objects()).toEqual([named]);
      expect((await database.pool.query('select from asset_gone_object')).rowCount).toBe(0);
    }
  });

  test('continues after a store that was away', async () => {
    const lost = await putAt(now);
    await database.pool.query('insert into asset_gone_object (object) values ($1)', [lost]);
    after(1.1);
    bucket.fault = ({ method }) => (method === 'POST' ? 'busy' : undefined);
    await expect(sweep()).rejects.toThrow('the object store does not answer');
    bucket.fault = () => undefined;
    await sweep();
    expect(await objects()).toEqual([]);
  });
});

describe('a copy of the database with the same settings', () => {
  test('that sweeps after the original deletes nothing, and stops the original', async () => {
    await sweep();
    const [expired] = [await putAt(now)];
    await database.pool.query('insert into asset_gone_object (object) values ($1)', [expired]);
    const copy = await copied();
    // The original has completed this upload since.
    await nameObject(expired);
    await sweep();
    after(2);
    await sweep(copy);
    expect(await objects()).toEqual([expired]);
    const lost = await putAt(now);
    await database.pool.query('insert into asset_gone_object (object) values ($1)', [lost]);
    after(2);
    await sweep();
    expect(await objects()).toEqual([expired, lost].toSorted());
    expect(log.lines.at(-1)?.message).toContain('npm run ops -- files adopt');
  });

  test('that sweeps before the original is noticed before it deletes', async () => {
    await sweep();
    const kept = await putAt(now);
    const copy = await copied();
    await nameObject(kept);
    await copy.pool.query('insert into asset_gone_object (object) values ($1)', [kept]);
    await sweep(copy);
    await sweep();
    after(2);
    await sweep(copy);
    await sweep();
    expect(await objects()).toEqual([kept]);
  });

  test('is over when a person says whose the objects are', async () => {
    await sweep();
    const copy = await copied();
    await sweep();
    await sweep(copy);
    const lost = await putAt(now);
    await database.pool.query('insert into asset_gone_object (object) values ($1)', [lost]);
    await adoptPrefix(depsOf(database), place);
    after(2);
    await sweep(copy);
    expect(await objects()).toEqual([lost]);
    await adoptPrefix(depsOf(database), place);
    await sweep();
    expect(await objects()).toEqual([]);
  });
});

test('a database that was put back deletes no object of the time before, until it takes them over', async () => {
  const lost = await putAt(new Date(now.getTime() - 30 * day));
  await withTransaction(database.pool, (tx) => beginEpoch(tx, 'restored'));
  const restored = { ...(await readPlace(database.pool)), prefix: place.prefix.replace('/1/', '/2/') };
  await ownPlace(database.pool, restored);
  const sweepRestored = () => sweepObjects(depsOf(database, restored));
  await sweepRestored();
  after(2);
  await sweepRestored();
  expect(await objects()).toEqual([lost]);
  await adoptPrefix(depsOf(database), { ...place, epoch: restored.epoch });
  await sweepRestored();
  after(2);
  await sweepRestored();
  expect(await objects()).toEqual([]);
});
