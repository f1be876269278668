import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Row, Store, StoreChange, Table } from '@tailgate/client-sdk';
import { nodeSqlite, openSqlite } from '@tailgate/client-sdk/sqlite';
import type { Browser, Page } from 'playwright-core';
import { openPage } from './browser.ts';
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

/** What a page of such phones runs; serve it with `servePage`. */
export const fieldPage = `
import { openIndexedDb } from '@tailgate/client-sdk';
import { FieldApp } from './field-app.ts';

const during = async (work) => {
  const store = await openIndexedDb();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};
globalThis.fieldPage = {
  start: async (elapsedMs) => {
    globalThis.fieldApp = await FieldApp.start({ url: location.origin, store: await openIndexedDb(), elapsedMs });
  },
  rows: (table) => during((store) => store.readAll(table)),
  write: (changes) => during((store) => store.write(changes, 'strict')),
  growStorage: () => new Promise((resolve, reject) => {
    const request = indexedDB.open('tailgate', 2);
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
 * On IndexedDB, in a page of a real Chromium; the app is stopped by closing the page, which asks nobody.
 *
 * @param address where `fieldPage` is served
 */
export async function chromiumPhone(browser: Browser, address: string): Promise<FieldPhone> {
  const context = await browser.newContext();
  let page: Page | undefined;
  const inPage = async (): Promise<Page> => (page ??= await openPage(context, address));
  const stop = async (): Promise<void> => {
    await page?.close();
    page = undefined;
  };
  /** A page of its own: none is left that has the storage open. */
  const during = async <Value>(work: (page: Page) => Promise<Value>): Promise<Value> => {
    const value = await work(await inPage());
    await stop();
    return value;
  };
  atFileEnd(() => context.close());
  return {
    app: doorsOf(inPage),
    start: async (elapsedMs = 0) => (await inPage()).evaluate((ms) => globalThis.fieldPage.start(ms), elapsedMs),
    stop,
    rows: (table) => during((bare) => bare.evaluate((name) => globalThis.fieldPage.rows(name), table)),
    write: (changes) => during((bare) => bare.evaluate((all) => globalThis.fieldPage.write(all), changes)),
    growStorage: () => during((bare) => bare.evaluate(() => globalThis.fieldPage.growStorage())),
  };
}

function doorsOf(inPage: () => Promise<Page>): AppDoors {
  return {
    turnClock: async (ms) => (await inPage()).evaluate((by) => globalThis.fieldApp.turnClock(by), ms),
    signUp: async (employee) => (await inPage()).evaluate((who) => globalThis.fieldApp.signUp(who), employee),
    signIn: async (employee) => (await inPage()).evaluate((who) => globalThis.fieldApp.signIn(who), employee),
    record: async (key, stop, said) =>
      (await inPage()).evaluate((tap) => globalThis.fieldApp.record(tap.key, tap.stop, tap.said), { key, stop, said }),
    receipt: async (id) => (await inPage()).evaluate((of) => globalThis.fieldApp.receipt(of), id),
    settled: async (id) => (await inPage()).evaluate((of) => globalThis.fieldApp.settled(of), id),
    onHost: async (id) => (await inPage()).evaluate((of) => globalThis.fieldApp.onHost(of), id),
    shown: async (key) => (await inPage()).evaluate((route) => globalThis.fieldApp.shown(route), key),
    untilShown: async (key, stop, field, value) =>
      (await inPage()).evaluate((view) => globalThis.fieldApp.untilShown(view.key, view.stop, view.field, view.value), {
        key,
        stop,
        field,
        value,
      }),
    routeStatus: async (key) => (await inPage()).evaluate((route) => globalThis.fieldApp.routeStatus(route), key),
    untilClosed: async (key) => (await inPage()).evaluate((route) => globalThis.fieldApp.untilClosed(route), key),
    status: async () => (await inPage()).evaluate(() => globalThis.fieldApp.status()),
    untilOffline: async () => (await inPage()).evaluate(() => globalThis.fieldApp.untilOffline()),
    untilDrained: async () => (await inPage()).evaluate(() => globalThis.fieldApp.untilDrained()),
    told: async () => (await inPage()).evaluate(() => globalThis.fieldApp.told()),
  };
}
