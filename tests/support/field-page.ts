// The script of the phones' page in Chromium. The part after `#` in its address names the phone.
import type { Store } from '@tailgate/client-sdk';
import { openIndexedDb } from '@tailgate/client-sdk';
import type { FileStore } from '@tailgate/client-sdk/uploads';
import { openIndexedDbFiles } from '@tailgate/client-sdk/uploads';
import { FieldApp } from './field-app.ts';
import type { AppApi, FieldPhone } from './field-phone.ts';
import { withOpened, fileFunctions } from './field-phone.ts';

declare global {
  var fieldApp: AppApi;
  var fieldPage: Omit<FieldPhone, 'app' | 'start' | 'stop' | 'kill' | 'secondInstance' | 'makeRoom'> & {
    start(elapsedMs: number): Promise<void>;
  };
  var ready: boolean;
}

const phone = location.hash.slice(1);

/** Connections that the SDK has opened: a test closes them in use, as iOS does in the background. */
const opened: IDBDatabase[] = [];
const open = indexedDB.open.bind(indexedDB);
IDBFactory.prototype.open = (...args) => {
  const request = open(...args);
  request.addEventListener('success', () => opened.push(request.result));
  return request;
};

const openStore = (): Promise<Store> => openIndexedDb(phone);
const openFiles = (): Promise<FileStore> => openIndexedDbFiles(`${phone}-files`);

globalThis.fieldPage = {
  start: async (elapsedMs) => {
    const [store, files] = await Promise.all([openStore(), openFiles()]);
    globalThis.fieldApp = await FieldApp.start({ url: location.origin, store, files, elapsedMs });
  },
  rows: (table) => withOpened(openStore(), (store) => store.readAll(table)),
  write: (changes) => withOpened(openStore(), (store) => store.write(changes, 'strict')),
  upgradeStorage: () =>
    new Promise((resolve, reject) => {
      const request = indexedDB.open(phone, 2);
      request.onupgradeneeded = () => request.result.createObjectStore('of_tomorrow');
      request.onerror = () => reject(request.error ?? new Error('the storage did not grow'));
      request.onsuccess = () => {
        request.result.close();
        resolve();
      };
    }),
  closeStorage: async () => {
    for (const database of opened.splice(0)) database.close();
  },
  deleteBytes: (id) => withOpened(openFiles(), (files) => fileFunctions.deleteBytes(files, id)),
  recordSizes: (id) => withOpened(openFiles(), (files) => fileFunctions.recordSizes(files, id)),
};
globalThis.ready = true;
