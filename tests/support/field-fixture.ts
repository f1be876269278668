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

/** Size limit of files on the server, for stories with a too large one. */
export const largestFile = 2 * 1024 * 1024;

/** The accepted changes of a route. */
export interface LedgerRow {
  id: string;
  employee: string;
  stop_id: number;
  edit_time: Date;
  warnings: string | null;
  body: string;
}

/** A driver on the road: a phone with their route on it. */
export interface OnTheRoad {
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
  readonly #letter: string;
  #drivers = 0;

  constructor(world: World, storage: Storage) {
    this.depot = world.depot;
    this.node = world.node;
    this.network = world.network;
    this.#newPhone = (options) => storage.newPhone(world, options);
    this.#letter = storage.letter;
  }

  /** Resets network and time after the story before. */
  async clear(): Promise<void> {
    this.node.clock.now = new Date();
    this.network.pass();
    await this.network.accept();
  }

  /** A driver with a route. */
  async nextDriver(): Promise<Omit<OnTheRoad, 'phone'>> {
    const driver = await this.#hire();
    return { driver, key: await this.depot.addRoute(`R${driver}`, stops, driver) };
  }

  /** One more driver of a route that this one has. */
  async addDriver(key: RouteKey, driver: string): Promise<string> {
    const another = await this.#hire();
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

  /** A phone that has been in the depot: its driver is signed in, the route is on it. */
  async onTheRoad(options?: PhoneOptions): Promise<OnTheRoad> {
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

  async takenOf(key: RouteKey): Promise<string[]> {
    return (await this.ledgerOf(key)).map(({ id }) => id);
  }

  /** The incidents of this driver's queues for the office: a broken chain, lost items. */
  async incidentsOf(driver: string): Promise<string[]> {
    const statement = 'select kind from incident where employee = $1';
    return (await this.depot.database.pool.query<{ kind: string }>(statement, [driver])).rows.map(({ kind }) => kind);
  }

  /** An edit of a stop by the office, through another node. */
  async office(key: RouteKey, stop: StopObjectInput, at: Date): Promise<void> {
    const actor = { kind: 'office', user: 'CLERK' } as const;
    expect(await this.depot.pipeline.submit({ ...change(key, stop, at), actor })).toMatchObject({ result: 'applied' });
  }

  /** Blocks commits of this driver's pushes until the returned function is called. */
  holdCommits(driver: string): Promise<() => Promise<void>> {
    return this.#hold('select from client where employee = $1 for update', [driver]);
  }

  /** Blocks writes of stops on the host until the returned function is called. */
  holdHost(): Promise<() => Promise<void>> {
    return this.#hold('lock table PODDTA.RTSTUP in exclusive mode', []);
  }

  /** Resolves once a push waits for `holdCommits`. */
  async untilPushWaits(): Promise<void> {
    const waiting = `select from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%from client where%' and datname = current_database()`;
    await expect.poll(async () => (await this.depot.database.pool.query(waiting)).rowCount).toBeGreaterThan(0);
  }

  /** Takes a lock until the returned function is called, at the latest until the story ends. */
  async #hold(lock: string, values: readonly string[]): Promise<() => Promise<void>> {
    const holder: PoolClient = await this.depot.database.pool.connect();
    let isHeld = true;
    const letGo = async (): Promise<void> => {
      if (!isHeld) return;
      isHeld = false;
      await holder.query('rollback');
      holder.release();
    };
    onTestFinished(letGo);
    await holder.query('begin');
    await holder.query(lock, [...values]);
    return letGo;
  }

  async #hire(): Promise<string> {
    this.#drivers += 1;
    const driver = `${this.#letter}${this.#drivers}`;
    await this.depot.clerk(
      `insert into PODDTA.EMPMSTP (EMEMP, EMNAM, EMSTS) values ('${driver}', 'Driver ${driver}', 'A')`,
    );
    return driver;
  }
}

/** Of every route: three customers and the warehouse. */
const stops = [1, 2, 3, 999];

interface World {
  readonly depot: Depot;
  readonly node: SyncNode;
  readonly network: TcpProxy;
  readonly chromium: ChromiumPhones;
  /** The address for phones. */
  readonly url: string;
}

interface Storage {
  readonly storage: string;
  readonly letter: string;
  newPhone(world: World, options?: PhoneOptions): Promise<FieldPhone>;
}

/** A new storage is one entry here. */
const storages: readonly Storage[] = [
  { storage: 'SQLite in Node', letter: 'S', newPhone: ({ url }, options) => sqlitePhone(url, options) },
  {
    storage: 'IndexedDB in Chromium',
    letter: 'C',
    newPhone: ({ chromium }, options) => chromium.newPhone(options),
  },
];

/**
 * Runs the field cases of a file on every storage: `tell` defines each of them once.
 * @param tell receives the environment of the stories, to be called in a test
 */
export function fieldCases(tell: (deps: () => FieldDeps) => void): void {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });

  describe.each(storages)('on $storage', (storage) => {
    let deps: FieldDeps;
    beforeAll(() => {
      deps = new FieldDeps(world, storage);
    });
    beforeEach(() => deps.clear());
    tell(() => deps);
  });
}

async function openWorld(): Promise<World> {
  const depot = await openDepot();
  // All news reach the phones by notifications: nothing here waits for a sweep.
  const limits = { sweep_ms: 60_000 };
  const node = await startSyncNode({ database: depot.database, limits, uploadLimits: { fileBytes: largestFile } });
  await depot.worker().start();
  const network = await startTcpProxy(Number(new URL(node.client.url).port));
  const url = network.through(node.client.url);
  return { depot, node, network, url, chromium: await ChromiumPhones.open(url) };
}

export const readJson: (text: string) => unknown = JSON.parse;

const storedWarnings = z.array(z.object({ code: z.string() }));
export const warningCodes = ({ warnings }: LedgerRow): string[] =>
  storedWarnings.parse(readJson(warnings ?? '[]')).map(({ code }) => code);
