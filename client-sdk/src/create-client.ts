import { filled } from '@tailgate/sync-protocol';
import type { Client } from './client.ts';
import { LocalClient } from './client.ts';
import { DeviceTime } from './connection/device-time.ts';
import { Transport } from './connection/transport.ts';
import type { Timing } from './connection/machine.ts';
import { defaultTiming } from './connection/machine.ts';
import { OfflineSince } from './engine/offline-since.ts';
import { SyncEngine } from './engine/sync-engine.ts';
import type { Environment } from './platform/environment.ts';
import { platform } from './platform/environment.ts';
import { EventHub } from './engine/events.ts';
import { Outbox } from './queue/outbox.ts';
import { StopDrafts } from './queue/stop-drafts.ts';
import { KnownStops } from './replica/known.ts';
import { Replica } from './replica/replica.ts';
import { UnseenEdits } from './replica/unseen-edits.ts';
import { readScopes } from './replica/scope-state.ts';
import { Accounts } from './session/accounts.ts';
import { authLoader } from './session/sign-in.ts';
import { Journal } from './store/journal.ts';
import { Reserve } from './store/reserve.ts';
import { probeKey } from './store/store.ts';
import type { SharedStore } from './tabs/shared-store.ts';
import type { UploadsPart } from './upload-port.ts';

/** Options of `createClient`: the server, the local store, and replacements for missing platform functions. */
export interface ClientOptions extends Partial<Environment> {
  /** The server, such as `https://pod.example.com`; without `/api`. */
  readonly url: string;
  /** The store of replica and queues; one store for one client. */
  readonly store: SharedStore;
  /** The driver, if the app has signed one in itself; default: the last one. */
  readonly employeeId?: string;
  /** Names of device and app for operators; the first 200 characters of each are sent. */
  readonly device?: string;
  readonly app?: string;
  readonly timing?: Partial<Timing>;
  /**
   * How long a change waits on this device so that `withdraw` can take it back; ms. Default 0: sent at once. A kill
   * ends the window, and the next start sends. With a window, each tap is a change of its own.
   */
  readonly undoWindow?: number;
  /** Photos and other files: the result of `openUploads` of `@tailgate/client-sdk/uploads`. */
  readonly uploads?: UploadsPart;
}

/**
 * Opens the local data, and connects as soon as there is a reason. Of several pages with one store, a single one
 * connects, and the others read and record through it.
 */
export async function createClient(options: ClientOptions): Promise<Client> {
  const open = (): Promise<LocalClient> => openClient(options);
  const client = await (options.store.share?.(open, options.store, options.uploads) ?? open());
  options.uploads?.serve(client.driver);
  return client;
}

async function openClient(options: ClientOptions): Promise<LocalClient> {
  const environment: Environment = filled(platform, options);
  // Fails when the app is built, not at the first push in the field.
  const { crypto } = globalThis;
  if ((!options.sha256 && !crypto?.subtle) || (!options.random && !crypto))
    throw new Error('no WebCrypto: use https, or the options sha256 and random');
  const { store, employeeId, uploads } = options;
  const [device, app] = [nameOf(options.device ?? globalThis.navigator?.userAgent), nameOf(options.app)];
  const url = options.url.replace(/\/+$/, '');
  if (!/^https?:/.test(url) || url.endsWith('/api')) throw new RangeError('url must be http(s)://HOST without /api');
  const timing = { ...defaultTiming, ...options.timing };
  const { undoWindow = 0 } = options;
  if (!(undoWindow >= 0)) throw new RangeError('undoWindow must be milliseconds, 0 or more');
  const time = new DeviceTime(environment);
  // In parallel: the platform's storage dominates the start.
  const [accountRows, settingRows, queueRows, itemRows, scopeRows, documentRows] = await Promise.all([
    store.readAll('account'),
    store.readAll('setting'),
    store.readAll('queue'),
    store.readAll('item'),
    store.readAll('scope'),
    store.readAll('document'),
  ]);
  // Another page may have encrypted the store since this one opened: in the open, every row would be damaged.
  if (settingRows.some(({ key }) => key === probeKey)) throw new Error('the store is encrypted: open it with its key');
  const journal = new Journal(store, environment.clock, new Reserve(store, settingRows, environment));
  const deps = { url, device, app, environment, timing, time, journal, undoWindow, events: new EventHub() };
  const accounts = new Accounts(accountRows, settingRows, employeeId, journal);
  const drafts = new StopDrafts(settingRows, { ...deps, accounts });
  const outbox = new Outbox(queueRows, itemRows, { ...deps, drafts });
  const known = { ...deps, accounts, drafts, outbox };
  const knownStops = new KnownStops(settingRows, journal);
  const unseenEdits = new UnseenEdits(settingRows, deps);
  const replica = new Replica(readScopes(scopeRows, documentRows), {
    ...known,
    knownStops,
    unseenEdits,
    driver: accounts.current,
  });
  const parts = { ...known, knownStops, replica, loadAuth: authLoader(known), transport: new Transport(deps) };
  const engine = new SyncEngine({ ...parts, offlineSince: new OfflineSince(settingRows, deps) });
  journal.onTrouble = (why) => engine.storageTrouble(why);
  if (uploads) journal.makeRoom = () => uploads.makeRoom();
  if (store.evicted) engine.trouble('EVICTED', 'the storage was deleted, with what was not sent');
  const stopWakeUps = environment.wakeUps(() => {
    engine.wake();
    uploads?.wake();
  });
  uploads?.start({ ...parts, engine });
  return new LocalClient({ ...parts, engine, stopWakeUps, uploads });
}

/** As much of a name as a frame has room for. */
const nameOf = (name = ''): string => name.slice(0, 200);
