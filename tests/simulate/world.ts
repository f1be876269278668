import type { Client } from '@tailgate/client-sdk';
import { Chance } from './chance.ts';
import type { Depot } from './depot.ts';
import { type DriverHistory, REPORT, type Tap } from './model/diary.ts';
import type { Evidence, Sweep } from './model/evidence.ts';
import { Driver } from './driver.ts';
import { REFUSED_COMMENT } from './model/parked-stops.ts';
import {
  closingOf,
  driversOf,
  hasMails,
  hasRestores,
  hasSecondRoute,
  hasWrongServers,
  LATE_STOP,
  PHONES_A_ROUTE,
  placeOf,
  routeOf,
  routesOf,
  secondRouteOf,
  secondStopsOf,
  STOPS,
  tokenOf,
  WAREHOUSE,
} from './model/fixture.ts';
import { LogPasses } from './log-passes.ts';
import { Machine, WRONG_CLOCKS_MS } from './machine.ts';
import { FaultyHost, type HostFault } from './faulty-host.ts';
import { Deadlines, wrongCountdowns } from './model/closing.ts';
import { Copies } from './model/copies.ts';
import { violations } from './model/invariants.ts';
import { outcomesOf } from './model/outcomes.ts';
import { incompleteFiles, ownRows, photoName } from './model/host-files.ts';
import { storedChanges } from './model/stored-changes.ts';
import { PhoneStorage, type PhoneStorageDeps } from './phone-storage.ts';
import { Shifts } from './shifts.ts';
import { rowPass, type RowPassFaults } from './row-pass.ts';
import { recordReport, recordTap, reportValues, returnValues, tapValues } from './taps.ts';
import { Mailbox } from './model/mails.ts';
import { mailPass, type MailPassFaults } from './mail-pass.ts';
import { ExceptionNumbers } from './model/exceptions.ts';
import { Restores } from './model/restores.ts';
import { Office } from './office.ts';
import { CHUNK_BYTES, Phone } from './phone.ts';
import { isReported, showTheSame } from './rest.ts';
import { Receipts } from './receipts.ts';
import { Restorer } from './restorer.ts';
import { RestDrivers } from './rest-drivers.ts';
import { Desk } from './desk.ts';
import { ServerNode } from './server-node.ts';
import { Quiescence } from './quiescence.ts';
import { type PassFaults, workerPass } from './worker.ts';
import { WorldTime } from './world-time.ts';

/** Phones, servers, a worker, a host and its clerks. The caller decides what happens to them. */
export class World {
  readonly chance: Chance;
  readonly log: LogPasses;
  readonly time = new WorldTime();
  readonly quiescence = new Quiescence();
  readonly phones: Phone[];
  readonly drivers: Driver[];
  readonly shifts: Shifts;
  readonly phoneStorage: PhoneStorage;
  readonly office: Office;
  readonly restDrivers: RestDrivers;
  readonly desk: Desk;
  readonly restorer: Restorer;
  /** A line for each event. The same seed gives the same lines. */
  readonly eventLog: string[] = [];
  readonly #seed: number;
  readonly #depot: Depot;
  readonly #killed: ServerNode[] = [];
  readonly #receipts: Receipts;
  readonly #restores = new Restores();
  readonly #exceptionNumbers = new ExceptionNumbers();
  readonly #copies = new Copies();
  readonly #deadlines = new Deadlines();
  readonly #mailbox = new Mailbox();
  readonly #nodes: ServerNode[] = [];
  readonly #sweeps: Sweep[] = [];
  #taps = 0;
  #notes = 0;

  private constructor(depot: Depot, seed: number) {
    this.#depot = depot;
    this.#seed = seed;
    this.chance = new Chance(seed);
    this.log = new LogPasses(depot, seed, this.quiescence);
    this.office = new Office({ seed, clerk: depot.clerk, time: this.time, chance: this.chance });
    this.restDrivers = new RestDrivers({ seed, time: this.time, chance: this.chance });
    const log = (text: string): void => void this.eventLog.push(text);
    const { office, time, quiescence } = this;
    this.desk = new Desk({ depot, seed, office, time, quiescence, chance: this.chance, log });
    const employees = driversOf(seed);
    this.phones = employees.slice(0, PHONES_A_ROUTE).map((employee, n) => {
      const chance = new Chance(seed * 1_000 + n + 1);
      return new Phone(employee, { server: this, quiescence: this.quiescence, time: this.time, chance });
    });
    this.drivers = employees.flatMap((employee, n) => {
      const phone = this.phones[n] ?? this.phones.at(-1);
      return phone ? [new Driver(employee, n + 1, phone)] : [];
    });
    const { drivers, phones, desk } = this;
    this.#receipts = new Receipts(drivers);
    const evidence = (): Evidence => this.#evidence;
    this.restorer = new Restorer({ depot, drivers, evidence, killServers: () => this.#killServers() });
    const kill = (phone: Phone): Promise<string[]> => this.kill(phone);
    const note: PhoneStorageDeps['note'] = ({ history, employee: by }, { id, ...what }) =>
      this.#note(history, { id, saved: Promise.resolve() }, { by, ...what });
    const now = (): number => time.now;
    this.shifts = new Shifts({ db: depot.db, desk, drivers, kill, now });
    this.phoneStorage = new PhoneStorage({ seed, copies: this.#copies, phones, drivers, kill, note, log, now });
  }

  static async open(depot: Depot, seed: number): Promise<World> {
    const world = new World(depot, seed);
    await world.startServer();
    const { signIns } = world.desk;
    for (const driver of world.drivers.toReversed()) {
      const { phone, employee } = driver;
      if (signIns) await driver.enter(await signIns.signUp(employee));
      else await phone.signIn(employee, tokenOf(employee));
    }
    for (const phone of world.phones) await phone.start();
    if (world.hasRestores) await world.restorer.begin();
    await world.settle();
    return world;
  }

  /** The running server processes: none, one, or two over the same database. */
  get nodes(): readonly ServerNode[] {
    return this.#nodes;
  }

  balance(): ServerNode | undefined {
    return this.#nodes.length === 0 ? undefined : this.chance.one(this.#nodes);
  }

  async startServer(): Promise<void> {
    const { quiescence, time, chance } = this;
    const { db, wakeups, log } = this.#depot;
    const deps = { db, wakeups, log, quiescence, time, chance, seed: this.#seed, machine: this.#machine() };
    const node = await ServerNode.start(deps, () => this.#removeKilled(node));
    this.#nodes.push(node);
  }

  /** A right clock, except in worlds whose servers have wrong ones. */
  #machine(): Machine {
    const machine = new Machine(this.time);
    if (this.hasWrongServers) machine.wallAheadMs = this.chance.one(WRONG_CLOCKS_MS);
    return machine;
  }

  get hasRestores(): boolean {
    return hasRestores(this.#seed);
  }

  async putBack(): Promise<void> {
    this.eventLog.push(await this.restorer.putBack());
  }

  /** Whether a restored server has not yet seen what only the host has. */
  get awaitsComparison(): boolean {
    return this.#restores.awaitsComparison;
  }

  get hasWrongServers(): boolean {
    return hasWrongServers(this.#seed);
  }

  #removeKilled(node: ServerNode): void {
    this.#killed.push(...this.#nodes.splice(this.#nodes.indexOf(node), 1));
    for (const phone of this.phones) phone.network.serverKilled(node);
  }

  /** A driver takes a photo and records it at a stop as proof. */
  async photograph(driver: Driver): Promise<void> {
    const { uploads, files } = driver.phone;
    if (!uploads) return;
    // The first bytes are of no known type, so that the name decides.
    const bytes = Uint8Array.from([...Buffer.from('photo'), ...this.chance.bytes(this.chance.below(3 * CHUNK_BYTES))]);
    const isStored = files.untilWriting();
    const added = uploads.add(new Blob([bytes]), { kind: 'photo', name: photoName(driver.employee) });
    void added.then(({ id }) => this.tap(driver, id));
    await Promise.race([isStored, added]);
  }

  /** A driver records something at a stop. @param signature_id a file as proof */
  tap({ employee, own, phone, history }: Driver, signature_id?: string): void {
    const { app } = phone;
    if (!app) return;
    const { chance, time } = this;
    const n = ++this.#taps;
    const seed = this.#seed;
    const isSecond = app.routes.current.some(({ id }) => id === secondRouteOf(seed).id) && chance.odds(0.4);
    const drivers = driversOf(seed).length;
    const shared = drivers + 1 + chance.below(STOPS - drivers);
    const onFirst = chance.odds(0.5) ? own : this.#mayRecordLateStop(app) && chance.odds(0.4) ? LATE_STOP : shared;
    const stop = isSecond ? chance.one(secondStopsOf(seed)) : onFirst;
    const isRefused = this.desk.hasRefusals && !isSecond && stop !== own && chance.odds(0.35);
    const values = tapValues(chance, n, {
      phoneNow: time.now + phone.clock.aheadMs,
      ...(isRefused ? { comment: REFUSED_COMMENT } : {}),
      signature_id,
    });
    const receipt = recordTap(app, placeOf(seed, stop), values);
    this.#note(history, receipt, { by: employee, stop, values });
  }

  /** A driver is back at the warehouse. */
  returnToDepot({ employee, phone, history }: Driver): void {
    const { app } = phone;
    const closing = closingOf(this.#seed);
    if (!app || !closing) return;
    const values = returnValues(this.chance, closing);
    const receipt = recordTap(app, placeOf(this.#seed, WAREHOUSE), values);
    this.#note(history, receipt, { by: employee, stop: WAREHOUSE, values });
  }

  /** Whether stop 999 of this world closes its route. */
  get isClosing(): boolean {
    return closingOf(this.#seed) !== undefined;
  }

  /** A server closes the route where that is due. */
  closeDue(node: ServerNode): void {
    const sweep = { at: this.time.now, isDone: false };
    this.#sweeps.push(sweep);
    void node.closeDue(() => (sweep.isDone = true));
  }

  /** An app refuses a stop that its route does not have. Before its first data it cannot know. */
  #mayRecordLateStop(app: Client): boolean {
    if (!this.desk.hasLateStop) return false;
    const route = app.route(routeOf(this.#seed)).current;
    return !route || route.stops.some(({ id }) => id === LATE_STOP);
  }

  /** A driver records the condition of the load. */
  report({ employee, phone, history }: Driver): void {
    const { app } = phone;
    if (!app) return;
    const values = reportValues(this.chance, ++this.#taps, employee);
    const receipt = recordReport(app, values.report ?? '', employee);
    this.#note(history, receipt, { by: employee, stop: REPORT, values });
  }

  #note(
    history: DriverHistory,
    { id, saved }: { id: string; saved: Promise<void> },
    what: Pick<Tap, 'by' | 'stop' | 'values'>,
  ): void {
    this.eventLog.push(`  stop ${what.stop}: ${JSON.stringify(what.values)} as ${id}`);
    const tap = { id, ...what, n: ++this.#notes, at: this.time.now, isSaved: false };
    history.taps.push(tap);
    this.#receipts.forget(id);
    void saved.then(() => (tap.isSaved = true));
  }

  /** A change of a stop by REST. */
  sendByRest(node: ServerNode): void {
    this.eventLog.push(this.restDrivers.send(node));
  }

  /** A clerk corrects a value on the host. */
  readonly correct = async (): Promise<void> => {
    this.eventLog.push(await this.office.correct());
  };

  get hasSecondRoute(): boolean {
    return hasSecondRoute(this.#seed);
  }

  /** The drivers of the second route change. */
  async reassign(): Promise<void> {
    this.eventLog.push(await this.office.reassign());
  }

  /** The dispatch changes the plan of an open route. */
  async replan(): Promise<void> {
    this.eventLog.push(await this.office.replan());
  }

  /** A worker replicates to the host. */
  async work(faults: Omit<PassFaults, 'clerkWrites'> = {}): Promise<void> {
    const { office, time, quiescence, correct: clerkWrites } = this;
    const depot = this.#depot;
    for (const route of routesOf(this.#seed))
      await workerPass({ depot, route, office, time, quiescence }, { ...faults, clerkWrites });
  }

  /** A worker brings the rows of users, sign-ins, reports and files to the host. @returns what was wrong there meanwhile */
  async workRows(faults: RowPassFaults = {}): Promise<string[]> {
    const { time, quiescence, drivers } = this;
    const { host } = this.#depot;
    const wrong = new Set<string>();
    const committed = async (): Promise<void> => {
      for (const each of await incompleteFiles({ drivers, host })) wrong.add(each);
    };
    await rowPass({ depot: this.#depot, time, quiescence, isOwn: await ownRows({ drivers }), committed }, faults);
    return [...wrong];
  }

  get hasMails(): boolean {
    return hasMails(this.#seed);
  }

  /** A server sends the queued mails. */
  async mail(faults: MailPassFaults = {}): Promise<void> {
    const { time, quiescence } = this;
    await mailPass({ depot: this.#depot, seed: this.#seed, mailbox: this.#mailbox, time, quiescence }, faults);
  }

  /** The importer polls the changes of other programs on the host. */
  async import(hostFault?: HostFault): Promise<void> {
    const { importer, host } = this.#depot;
    const faultyHost = new FaultyHost(host, hostFault, this.correct);
    const clock = (): Date => new Date(this.time.now);
    try {
      const view = { host: faultyHost, changes: this.office.changes(faultyHost), clock };
      await importer.poll(view);
      if (!this.#restores.hasHappened) return;
      if (await importer.compare(view)) this.#restores.compared(this.office.edits.length);
    } catch (error) {
      if (!faultyHost.hasFailed) throw error;
    }
  }

  get #evidence(): Evidence {
    const { db, host } = this.#depot;
    const { drivers, office, time } = this;
    const { requests } = this.restDrivers;
    const [exceptionNumbers, sweeps, copies] = [this.#exceptionNumbers, this.#sweeps, this.#copies];
    const [mailbox, { rulings, accounts }] = [this.#mailbox, this.desk];
    const known = { drivers, office, requests, exceptionNumbers, sweeps, rulings, accounts, copies, mailbox };
    return { seed: this.#seed, now: time.now, db, host, restores: this.#restores, ...known };
  }

  /** The violated invariants. Call this when the world is idle. */
  async violations(): Promise<string[]> {
    return [...(await this.log.pass()), ...(await violations(this.#evidence))];
  }

  readonly outcomes = (): Promise<string[]> => outcomesOf(this.#evidence);

  /** The system kills the app of a phone. @returns what is wrong with its disk */
  async kill(phone: Phone): Promise<string[]> {
    await phone.kill();
    const changes = await storedChanges(phone.disk);
    const stored = new Map(changes.map(({ id, values }) => [id, values]));
    const drivers = this.drivers.filter((driver) => driver.phone === phone);
    return drivers.flatMap(({ history }) => history.afterKill(stored));
  }

  /** Waits until the world is idle and checks all receipts. */
  async settle(): Promise<string[]> {
    await this.#disposeKilled();
    await this.restorer.findAgain();
    const evidence = this.#evidence;
    return [
      ...(await this.#receipts.check(evidence)),
      ...this.#receipts.checkViews(evidence),
      ...wrongCountdowns(evidence),
      ...this.#deadlines.wrong(evidence),
    ];
  }

  /** Whether the host has every change that it can have, and every phone shows the same. */
  get isAtRest(): boolean {
    const { drivers, office, desk, restDrivers } = this;
    const seed = this.#seed;
    const isSent = this.phones.every(({ uploads }) => uploads?.status.current.waiting === 0);
    const following = drivers.filter(({ hasPhone, isSignedIn }) => hasPhone && isSignedIn).map(({ phone }) => phone);
    return (
      !desk.lacksLateStop &&
      restDrivers.isAnswered &&
      isSent &&
      isReported(drivers, { office, seed }) &&
      showTheSame(following, seed)
    );
  }

  async close(): Promise<void> {
    await this.desk.close();
    for (const phone of this.phones) await phone.kill();
    await this.#killServers();
  }

  async #killServers(): Promise<void> {
    for (const node of [...this.#nodes]) node.kill();
    await this.#disposeKilled();
  }

  async #disposeKilled(): Promise<void> {
    await this.quiescence.reached();
    while (this.#killed.length > 0) await this.#killed.pop()?.dispose();
  }
}
