import type { RouteKey, StopObjectInput } from '@tailgate/sync-protocol';
import type { PoolClient } from 'pg';
import { beforeAll, beforeEach, describe, expect, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { ChromiumPhones } from './chromium-phone.ts';
import { change, openDepot, type Depot } from './depot.ts';
import type { FieldPhone, PhoneOptions } from './field-phone.ts';
import { sqlitePhone } from './sqlite-phone.ts';
import { startSyncNode, type SyncNode } from './sync-node.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** Size limit of files on the server, for cases with a larger one. */
export const maxFileBytes = 2 * 1024 * 1024;

/** The accepted changes of a route. */
export interface LedgerRow {
  id: string;
  employee: string;
  stop_id: number;
  edit_time: Date;
  warnings: string | null;
  body: string;
}

/** A phone with its driver's route on it. */
export interface PhoneWithRoute {
  readonly phone: FieldPhone;
  readonly key: RouteKey;
  readonly driver: string;
}

/** The place of the field cases: the real server with a worker and a host, the network before it, and phones. */
export class FieldDeps {
  readonly depot: Depot;
  readonly node: SyncNode;
  readonly network: TcpProxy;
  readonly #newPhone: (options?: PhoneOptions) => Promise<FieldPhone>;
  /** Separates drivers of one storage from those of another. */
  readonly #prefix: string;
  #drivers = 0;

  constructor(site: FieldSite, storage: Storage) {
    this.depot = site.depot;
    this.node = site.node;
    this.network = site.network;
    this.#newPhone = (options) => storage.newPhone(site, options);
    this.#prefix = storage.prefix;
  }

  /** Resets network and time after the previous case. */
  async reset(): Promise<void> {
    this.node.clock.now = new Date();
    this.network.pass();
    await this.network.accept();
  }

  /** A driver with a route. */
  async nextDriver(): Promise<Omit<PhoneWithRoute, 'phone'>> {
    const driver = await this.#addEmployee();
    return { driver, key: await this.depot.addRoute(`R${driver}`, stops, driver) };
  }

  /** One more driver of a route that this one has. */
  async addDriver(key: RouteKey, driver: string): Promise<string> {
    const another = await this.#addEmployee();
    await this.depot.addRoute(key.id, stops, driver, another);
    return another;
  }

  /** A phone on which the app runs and this driver has signed up. */
  async phoneOf(driver: string, options?: PhoneOptions): Promise<FieldPhone> {
    const phone = await this.#newPhone(options);
    onTestFinished(() => phone.stop());
    await phone.start();
    expect(await phone.app.signUp(driver)).toBe('signed_in');
    return phone;
  }

  /** A phone whose driver is signed in, with the route on it. */
  async phoneWithRoute(options?: PhoneOptions): Promise<PhoneWithRoute> {
    const { driver, key } = await this.nextDriver();
    return { phone: await this.phoneOf(driver, options), key, driver };
  }

  async loseNetwork({ app }: FieldPhone): Promise<void> {
    this.network.refuse();
    this.network.cut();
    await app.untilOffline();
  }

  /** Kills the app with all of its connections. */
  async kill(phone: FieldPhone): Promise<void> {
    await phone.kill();
    this.network.cut();
  }

  /** The accepted changes of a route, in the order of its versions. */
  async ledgerOf({ id }: RouteKey): Promise<LedgerRow[]> {
    const statement =
      'select id, employee, stop_id, edit_time, warnings, body from ledger where route_id = $1 order by version, seq nulls first';
    return (await this.depot.database.pool.query<LedgerRow>(statement, [id])).rows;
  }

  async ledgerIdsOf(key: RouteKey): Promise<string[]> {
    return (await this.ledgerOf(key)).map(({ id }) => id);
  }

  /** The incidents of this driver's queues for the office: a broken chain, lost items. */
  async incidentsOf(driver: string): Promise<string[]> {
    const statement = 'select kind from incident where employee = $1';
    return (await this.depot.database.pool.query<{ kind: string }>(statement, [driver])).rows.map(({ kind }) => kind);
  }

  /** An edit of a stop by the office, through another node. */
  async officeEdit(key: RouteKey, stop: StopObjectInput, at: Date): Promise<void> {
    const actor = { kind: 'office', user: 'CLERK' } as const;
    expect(await this.depot.pipeline.submit({ ...change(key, stop, at), actor })).toMatchObject({ result: 'applied' });
  }

  /** Blocks commits of this driver's pushes until the returned function is called. */
  blockCommits(driver: string): Promise<() => Promise<void>> {
    return this.#block('select from client where employee = $1 for update', [driver]);
  }

  /** Blocks writes of stops on the host until the returned function is called. */
  blockHost(): Promise<() => Promise<void>> {
    return this.#block('lock table PODDTA.RTSTUP in exclusive mode', []);
  }

  /** Resolves once a push waits for `blockCommits`. */
  async untilPushWaits(): Promise<void> {
    const waiting = `select from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%from client where%' and datname = current_database()`;
    await expect.poll(async () => (await this.depot.database.pool.query(waiting)).rowCount).toBeGreaterThan(0);
  }

  /** Takes a lock until the returned function is called, at the latest until the test ends. */
  async #block(lock: string, values: readonly string[]): Promise<() => Promise<void>> {
    const holder: PoolClient = await this.depot.database.pool.connect();
    let isBlocked = true;
    const unblock = async (): Promise<void> => {
      if (!isBlocked) return;
      isBlocked = false;
      await holder.query('rollback');
      holder.release();
    };
    onTestFinished(unblock);
    await holder.query('begin');
    await holder.query(lock, [...values]);
    return unblock;
  }

  async #addEmployee(): Promise<string> {
    this.#drivers += 1;
    const driver = `${this.#prefix}${this.#drivers}`;
    await this.depot.clerk(
      `insert into PODDTA.EMPMSTP (EMEMP, EMNAM, EMSTS) values ('${driver}', 'Driver ${driver}', 'A')`,
    );
    return driver;
  }
}

/** Of every route: three customers and the warehouse. */
const stops = [1, 2, 3, 999];

interface FieldSite {
  readonly depot: Depot;
  readonly node: SyncNode;
  readonly network: TcpProxy;
  readonly chromium: ChromiumPhones;
  /** The address for phones. */
  readonly url: string;
}

interface Storage {
  readonly storage: string;
  readonly prefix: string;
  newPhone(site: FieldSite, options?: PhoneOptions): Promise<FieldPhone>;
}

/** A new storage is one entry here. */
const storages: readonly Storage[] = [
  { storage: 'SQLite in Node', prefix: 'S', newPhone: ({ url }, options) => sqlitePhone(url, options) },
  {
    storage: 'IndexedDB in Chromium',
    prefix: 'C',
    newPhone: ({ chromium }, options) => chromium.newPhone(options),
  },
];

/**
 * Runs the field cases of a file on every storage: `define` defines each of them once.
 * @param define receives the environment of the cases, to be called in a test
 */
export function fieldCases(define: (deps: () => FieldDeps) => void): void {
  let site: FieldSite;
  beforeAll(async () => {
    site = await openSite();
  });

  describe.each(storages)('on $storage', (storage) => {
    let deps: FieldDeps;
    beforeAll(() => {
      deps = new FieldDeps(site, storage);
    });
    beforeEach(() => deps.reset());
    define(() => deps);
  });
}

async function openSite(): Promise<FieldSite> {
  const depot = await openDepot();
  // All news reach the phones by notifications: nothing here waits for a sweep.
  const limits = { sweep_ms: 60_000 };
  const node = await startSyncNode({ database: depot.database, limits, uploadLimits: { fileBytes: maxFileBytes } });
  await depot.worker().start();
  const network = await startTcpProxy(Number(new URL(node.client.url).port));
  const url = network.through(node.client.url);
  return { depot, node, network, url, chromium: await ChromiumPhones.open(url) };
}

export const readJson: (text: string) => unknown = JSON.parse;

const storedWarnings = z.array(z.object({ code: z.string() }));
export const warningCodes = ({ warnings }: LedgerRow): string[] =>
  storedWarnings.parse(readJson(warnings ?? '[]')).map(({ code }) => code);
