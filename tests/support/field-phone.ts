import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Row, Store, StoreChange, Table } from '@tailgate/client-sdk';
import { nodeSqlite, openSqlite } from '@tailgate/client-sdk/sqlite';
import type { Page } from 'playwright-core';
import { FieldApp } from './field-app.ts';
import { atFileEnd } from './file-end.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The app's doors, wherever it runs. */
export type AppDoors = Pick<FieldApp, Exclude<keyof FieldApp, 'close'>>;

/** A driver's phone: a storage that stays, and the app on it. The same calls, whatever the platform. */
export interface FieldPhone {
  /** The app that runs. */
  readonly app: AppDoors;
  /** Starts the app. @param elapsedMs how far the phone's clock has gone since the story began */
  start(elapsedMs?: number): Promise<void>;
  stop(): Promise<void>;
  /** Rows of the storage, while no app runs. */
  rows(table: Table): Promise<Row[]>;
  write(changes: readonly StoreChange[]): Promise<void>;
  /** Leaves the storage as an app of tomorrow would that needs more of it than this one. */
  growStorage(): Promise<void>;
}

/** On SQLite, in Node. */
export async function sqlitePhone(url: string): Promise<FieldPhone> {
  const file = join(await temporaryFolder(), 'phone.db');
  const open = (): Promise<Store> => openSqlite(nodeSqlite(() => new DatabaseSync(file)));
  const during = async <Value>(work: (store: Store) => Promise<Value>): Promise<Value> => {
    const store = await open();
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  let app: FieldApp | undefined;
  const phone: FieldPhone = {
    get app() {
      if (!app) throw new Error('the app does not run');
      return app;
    },
    start: async (elapsedMs = 0) => {
      app = await FieldApp.start({ url, store: await open(), elapsedMs });
    },
    stop: async () => {
      await app?.close();
      app = undefined;
    },
    rows: (table) => during((store) => store.readAll(table)),
    write: (changes) => during((store) => store.write(changes, 'strict')),
    growStorage: async () => {
      const database = new DatabaseSync(file);
      database.exec('create table of_tomorrow (key text primary key)');
      database.close();
    },
  };
  atFileEnd(() => phone.stop());
  return phone;
}

/** What a page of such phones runs; serve it with `servePage`. The part after `#` in its address names the phone. */
export const fieldPage = `
import { openIndexedDb } from '@tailgate/client-sdk';
import { FieldApp } from './field-app.ts';

const phone = location.hash.slice(1);
const during = async (work) => {
  const store = await openIndexedDb(phone);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};
globalThis.fieldPage = {
  start: async (elapsedMs) => {
    globalThis.fieldApp = await FieldApp.start({ url: location.origin, store: await openIndexedDb(phone), elapsedMs });
  },
  rows: (table) => during((store) => store.readAll(table)),
  write: (changes) => during((store) => store.write(changes, 'strict')),
  growStorage: () => new Promise((resolve, reject) => {
    const request = indexedDB.open(phone, 2);
    request.onupgradeneeded = () => request.result.createObjectStore('of_tomorrow');
    request.onerror = reject;
    request.onsuccess = () => {
      request.result.close();
      resolve();
    };
  }),
};
globalThis.ready = true;
`;

declare global {
  var fieldApp: AppDoors;
  var fieldPage: Pick<FieldPhone, 'rows' | 'write' | 'growStorage'> & { start(elapsedMs: number): Promise<void> };
}

/**
 * On IndexedDB, in a page of a real Chromium. All phones share the page, and one of them is on at a time: the app is
 * stopped by leaving it, which asks nobody.
 *
 * @param address where `fieldPage` is served
 */
export function chromiumPhone(page: Page, address: string): FieldPhone {
  const name = `phone-${randomUUID()}`;
  let isHere = false;
  const inPage = async (): Promise<Page> => {
    if (!isHere) await page.goto(`${address}#${name}`);
    isHere = true;
    await page.waitForFunction('globalThis.ready === true');
    return page;
  };
  return {
    app: doorsOf(page),
    start: async (elapsedMs = 0) => (await inPage()).evaluate((ms) => globalThis.fieldPage.start(ms), elapsedMs),
    stop: async () => {
      await page.goto('about:blank');
      isHere = false;
    },
    rows: async (table) => (await inPage()).evaluate((of) => globalThis.fieldPage.rows(of), table),
    write: async (changes) => (await inPage()).evaluate((all) => globalThis.fieldPage.write(all), changes),
    growStorage: async () => (await inPage()).evaluate(() => globalThis.fieldPage.growStorage()),
  };
}

function doorsOf(page: Page): AppDoors {
  return {
    turnClock: (ms) => page.evaluate((by) => globalThis.fieldApp.turnClock(by), ms),
    elapse: (ms) => page.evaluate((by) => globalThis.fieldApp.elapse(by), ms),
    signUp: (employee) => page.evaluate((who) => globalThis.fieldApp.signUp(who), employee),
    signIn: (employee) => page.evaluate((who) => globalThis.fieldApp.signIn(who), employee),
    record: (key, stop, said) =>
      page.evaluate((tap) => globalThis.fieldApp.record(tap.key, tap.stop, tap.said), { key, stop, said }),
    receipt: (id) => page.evaluate((of) => globalThis.fieldApp.receipt(of), id),
    settled: (id) => page.evaluate((of) => globalThis.fieldApp.settled(of), id),
    onHost: (id) => page.evaluate((of) => globalThis.fieldApp.onHost(of), id),
    shown: (key) => page.evaluate((route) => globalThis.fieldApp.shown(route), key),
    untilShown: (key, stop, field, value) =>
      page.evaluate((view) => globalThis.fieldApp.untilShown(view.key, view.stop, view.field, view.value), {
        key,
        stop,
        field,
        value,
      }),
    untilClosed: (key) => page.evaluate((route) => globalThis.fieldApp.untilClosed(route), key),
    status: () => page.evaluate(() => globalThis.fieldApp.status()),
    untilOffline: () => page.evaluate(() => globalThis.fieldApp.untilOffline()),
    untilDrained: () => page.evaluate(() => globalThis.fieldApp.untilDrained()),
    told: () => page.evaluate(() => globalThis.fieldApp.told()),
  };
}
