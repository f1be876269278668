import type { Client, Receipt, Store, Watch } from '@tailgate/client-sdk';
import { createClient, MemoryStore } from '@tailgate/client-sdk';
import type * as sdk from '@tailgate/client-sdk';
import type * as uploadsOfSdk from '@tailgate/client-sdk/uploads';
import type { Uploads } from '@tailgate/client-sdk/uploads';
import { MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import { expect } from 'vitest';
import { startAppRun, storeOfRun, type AppRun } from '../support/app-run.ts';
import { atFileEnd } from '../support/file-end.ts';
import { password } from '../support/people.ts';
import { copyOf } from '../support/store-copy.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** A driver's phone: its storage, its network, and the app, which a test may kill at any moment. */
export interface Device {
  /** All data that outlives the app. */
  readonly disk: Store;
  readonly network: TcpProxy;
  /** The running app. */
  readonly app: Client;
  /** Its photos, on a disk of their own. */
  readonly uploads: Uploads;
  /** Called with each frame just before the app sends it. */
  onSend: (frame: string) => void;
  /** Each request over HTTP waits for this. */
  onFetch: (url: string) => Promise<void>;
  /** Starts the app on the storage. */
  start(): Promise<Client>;
  /** Kills the app as the system does: nothing is finished or written. */
  kill(): void;
  /** No network: open connections break, no new one opens. */
  loseNetwork(): void;
  restoreNetwork(): Promise<void>;
  /** Advances all clocks of this phone. */
  advanceClocks(ms: number): void;
  /** Sets this phone's wall clock: the wall clock jumps, the monotonic clock continues. */
  shiftWallClock(ms: number): void;
  /** Another device with a copy of this one's storage, as a restored backup makes it. */
  copyDevice(): Promise<Device>;
}

/** Short waits; everything else is as in an app. */
const timing = { retryBaseMs: 20, retryCapMs: 250 };

/** The parts of the SDK that an app takes: of this tree, or of a release. */
export type AppPackages = Pick<typeof sdk, 'createClient'> & Pick<typeof uploadsOfSdk, 'MemoryFiles' | 'openUploads'>;

/** A phone in the reach of a server; it is switched off at the end of the test file. */
export async function openDevice(
  serverPort: number,
  disk: Store = new MemoryStore(),
  packages: AppPackages = { createClient, MemoryFiles, openUploads },
): Promise<Device> {
  const network = await startTcpProxy(serverPort);
  const shift = { ms: 0, wallMs: 0 };
  const files = new packages.MemoryFiles();
  let run: AppRun | undefined;
  let app: Client | undefined;
  let uploads: Uploads | undefined;
  const device: Device = {
    disk,
    network,
    onSend: () => undefined,
    onFetch: () => Promise.resolve(),
    get app() {
      if (!app) throw new Error('the app does not run');
      return app;
    },
    get uploads() {
      if (!uploads) throw new Error('the app does not run');
      return uploads;
    },
    start: async () => {
      const next = startAppRun(shift, device);
      run = next;
      const url = `http://127.0.0.1:${network.port}`;
      uploads = await packages.openUploads({ store: files, photos: false });
      const store = storeOfRun(disk, next);
      app = await packages.createClient({ url, store, uploads, timing, device: 'test phone', ...next.environment });
      return app;
    },
    kill: () => {
      run?.end();
      run = app = uploads = undefined;
      network.cut();
    },
    loseNetwork: () => {
      network.refuse();
      network.cut();
    },
    restoreNetwork: () => network.accept(),
    advanceClocks: (ms) => void (shift.ms += ms),
    shiftWallClock: (ms) => void (shift.wallMs += ms),
    copyDevice: async () => openDevice(serverPort, await copyOf(disk), packages),
  };
  atFileEnd(async () => device.kill());
  return device;
}

/** A phone on which this employee has registered, with their route on it. */
export async function openSignedUp(
  serverPort: number,
  employee: string,
  disk?: Store,
  packages?: AppPackages,
): Promise<Device> {
  const device = await openDevice(serverPort, disk, packages);
  const app = await device.start();
  expect(await app.signUp(employee, password)).toMatchObject({ kind: 'signed_in' });
  await until(app.route(), (route) => route !== undefined);
  return device;
}

/** Resolves with the value of a watch as soon as it matches. */
export function until<Value>(watch: Watch<Value>, wanted: (value: Value) => boolean): Promise<Value> {
  return new Promise((resolve) => {
    if (wanted(watch.current)) return resolve(watch.current);
    const stop = watch.subscribe((value) => {
      if (!wanted(value)) return;
      stop();
      resolve(value);
    });
  });
}

/** Changes of this device that the server has not answered. */
export const pendingOf = ({ status }: Client): number =>
  Object.values(status.current.pending).reduce((sum, count) => sum + count, 0);

/** Resolves when every one of these changes is in the tables of the back office. */
export async function allOnHost(app: Client, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => receiptOf(app, id).onHost));
}

export function receiptOf(app: Client, id: string): Receipt {
  const receipt = app.receipt(id);
  if (!receipt) throw new Error(`the device has no receipt of ${id}`);
  return receipt;
}
