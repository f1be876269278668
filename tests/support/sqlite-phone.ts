import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { OpenSql } from '@tailgate/client-sdk/sqlite';
import { nodeSqlite, openSqlite, openSqliteFiles } from '@tailgate/client-sdk/sqlite';
import type { AppRun } from './app-run.ts';
import { startAppRun, storeOfRun } from './app-run.ts';
import { FieldApp } from './field-app.ts';
import type { FieldPhone, PhoneOptions } from './field-phone.ts';
import { withOpened, fileFunctions } from './field-phone.ts';
import { atFileEnd } from './file-end.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** On SQLite, in Node. */
export const sqlitePhone = async (url: string, options: PhoneOptions = {}): Promise<FieldPhone> =>
  phoneIn(await temporaryFolder(), url, options);

/** SQLite's own, by default. */
const pageBytes = 4_096;
const endlessPages = 1_073_741_823;

function phoneIn(folder: string, url: string, { diskBytes }: PhoneOptions): FieldPhone {
  const [file, ofFiles] = [join(folder, 'phone.db'), join(folder, 'files.db')];
  const connections = new Set<DatabaseSync>();
  let pages = diskBytes === undefined ? endlessPages : Math.floor(diskBytes / pageBytes);
  let run: AppRun | undefined;
  let app: FieldApp | undefined;

  /** The disk's limit applies to the client's writes; files have a database of their own. */
  const opener = (path: string): OpenSql => {
    const owner = run;
    return nodeSqlite(() => {
      if (owner?.isKilled()) throw new Error('the app was killed');
      const database = new DatabaseSync(path);
      if (path === file) database.exec(`pragma max_page_count = ${pages}`);
      connections.add(database);
      return database;
    });
  };
  const closeAll = (): void => {
    for (const database of connections) if (database.isOpen) database.close();
    connections.clear();
  };
  const filesDuring = <Value>(work: (files: Awaited<ReturnType<typeof openSqliteFiles>>) => Promise<Value>) =>
    withOpened(openSqliteFiles(opener(ofFiles)), work);

  const phone: FieldPhone = {
    get app() {
      if (!app) throw new Error('the app does not run');
      return app;
    },
    start: async (elapsedMs = 0) => {
      run = startAppRun();
      const store = storeOfRun(await openSqlite(opener(file)), run);
      const files = await openSqliteFiles(opener(ofFiles));
      app = await FieldApp.start({ url, store, files, elapsedMs, environment: run.environment });
    },
    stop: async () => {
      await app?.close();
      app = undefined;
      closeAll();
    },
    kill: async () => {
      run?.end();
      run = undefined;
      closeAll();
      app = undefined;
    },
    secondInstance: () => phoneIn(folder, url, {}),
    rows: (table) => withOpened(openSqlite(opener(file)), (store) => store.readAll(table)),
    write: (changes) => withOpened(openSqlite(opener(file)), (store) => store.write(changes, 'strict')),
    upgradeStorage: async () => {
      const database = new DatabaseSync(file);
      database.exec('create table of_tomorrow (key text primary key)');
      database.close();
    },
    closeStorage: async () => closeAll(),
    makeRoom: async () => {
      pages = endlessPages;
      for (const database of connections) if (database.isOpen) database.exec(`pragma max_page_count = ${pages}`);
    },
    deleteBytes: (id) => filesDuring((files) => fileFunctions.deleteBytes(files, id)),
    recordSizes: (id) => filesDuring((files) => fileFunctions.recordSizes(files, id)),
  };
  atFileEnd(() => phone.stop());
  return phone;
}
