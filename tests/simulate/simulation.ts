import { inspect } from 'node:util';
import type { Chance } from './chance.ts';
import type { Depot } from './depot.ts';
import type { Driver } from './driver.ts';
import { type HostFault, hostFaults } from './faulty-host.ts';
import type { KillPoint } from './killable-database.ts';
import { mailFaults, type MailPassFaults } from './mail-pass.ts';
import { hasRestores } from './model/fixture.ts';
import type { Phone } from './phone.ts';
import type { ServerNode } from './server-node.ts';
import { World } from './world.ts';

/** A run that violated an invariant. Its message contains the command that repeats the run. */
class BrokenInvariant extends Error {
  override readonly name = 'BrokenPromise';

  constructor(seed: number, steps: number, wrong: readonly string[], eventLog: readonly string[]) {
    const end = eventLog.slice(-40).map((line) => `    ${line}`);
    const replay = `npm run simulate -- --seed ${seed} --steps ${steps}`;
    super([...wrong, `  last events:`, ...end, `  again: ${replay}`].join('\n'));
  }
}

/** Rounds within which a healed world must come to rest. One round covers a ping's round trip. */
const HEALING_ROUNDS = 400;
/** Clerks' corrections after the first pass of healing. */
const MAX_LATE_CORRECTIONS = 3;

/** Servers over one database. With two, each sees the other's changes only through the database. */
const MAX_NODES = 2;

/** Rounds until all processes have received everything. One or two pings detect a frozen line. */
const REST_ROUNDS = 12;

/** Worlds in parallel: while one waits for PostgreSQL, another one continues. Each has its own route. */
const WORLDS_AT_ONCE = 4;

/** The outcome of many worlds: a message for each seed that failed, and the counts of events in the others. */
export interface Outcome {
  readonly broken: string[];
  readonly eventLogs: Map<number, readonly string[]>;
}

/** @param until `broken`: begins no further world after the first violation */
export async function simulateAll(
  depot: Depot,
  seeds: readonly number[],
  steps: number,
  until: 'end' | 'broken' = 'end',
): Promise<Outcome> {
  const outcome: Outcome = { broken: [], eventLogs: new Map() };
  const waiting = [...seeds];
  const playSeeds = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      try {
        outcome.eventLogs.set(seed, await simulateOne(depot, seed, steps));
      } catch (error) {
        // Also a fault outside of the model, such as a connection that a busy machine refuses: the other worlds go on.
        const reason = error instanceof BrokenInvariant ? error.message : inspect(error);
        outcome.broken.push(`seed ${seed}: ${reason}`);
        if (until === 'broken') waiting.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: WORLDS_AT_ONCE }, playSeeds));
  return outcome;
}

/** A new epoch ends every process of a database. So a world with a restore has a database of its own. */
async function simulateOne(depot: Depot, seed: number, steps: number): Promise<readonly string[]> {
  if (!hasRestores(seed)) return simulate(depot, seed, steps);
  const own = await depot.openOwn();
  try {
    await own.dispatch([seed]);
    return await simulate(own, seed, steps);
  } finally {
    await own.close();
    await own.drop();
  }
}

type WeightedEvent = readonly [weight: number, what: readonly [name: string, run: () => unknown]];

/**
 * Plays `steps` random events in the world of a seed, heals the world and checks every invariant.
 *
 * @returns the log, a line for each event, and for what they have led to
 * @throws BrokenPromise
 */
async function simulate(depot: Depot, seed: number, steps: number): Promise<readonly string[]> {
  const world = await World.open(depot, seed);
  const expectNothing = (wrong: readonly string[]): void => {
    if (wrong.length > 0) throw new BrokenInvariant(seed, steps, wrong, world.eventLog);
  };
  try {
    for (let step = 0; step < steps; step++) {
      world.time.advance(world.chance.below(50));
      const [name, run] = world.chance.weighted(eventsOf(world, expectNothing));
      world.eventLog.push(`${world.time.now} ${name}`);
      await run();
      expectNothing(await world.settle());
      expectNothing(await world.log.sometimes());
    }
    await heal(world, expectNothing);
    return [...world.eventLog, ...(await world.outcomes())];
  } finally {
    await world.close();
  }
}

function eventsOf(world: World, expectNothing: (wrong: readonly string[]) => void): WeightedEvent[] {
  const { chance, time, nodes } = world;
  const randomKillPoint = (statements: number): KillPoint => {
    const of = chance.odds(0.5) ? 'statements' : 'commits';
    const moment = chance.odds(0.5) ? 'before' : 'after';
    return { count: chance.below(of === 'statements' ? statements : 2), of, moment };
  };
  const killText = ({ count, of, moment }: KillPoint): string => `killed ${moment} ${count} ${of}`;
  const all = [
    ...world.drivers.flatMap((driver) => ofDriver(world, driver, expectNothing)),
    ...world.phones.flatMap((phone, n) => ofPhone(world, phone, n, expectNothing)),
  ];
  const worker = chance.odds(0.3) ? randomKillPoint(12) : undefined;
  const hostFault = hostFaultOf(world, 3);
  const faults = [worker && killText(worker), hostFault && `${hostFault.kind} in ${hostFault.count}`]
    .filter(Boolean)
    .join(', ');
  // Only what has reached the host can come back from it.
  all.push([world.hasRestores ? 16 : 8, [`worker ${faults}`, () => world.work({ killPoint: worker, hostFault })]]);
  const rowWorker = chance.odds(0.3) ? randomKillPoint(12) : undefined;
  const rowFault = hostFaultOf(world, 4, rowFaults);
  const rowText = [rowWorker && killText(rowWorker), rowFault && `${rowFault.kind} in ${rowFault.count}`];
  all.push([
    2,
    [
      `row worker ${rowText.filter(Boolean).join(', ')}`,
      async () => expectNothing(await world.workRows({ killPoint: rowWorker, hostFault: rowFault })),
    ],
  ]);
  all.push([2, ['a clerk', world.correct]], [0.7, ['the dispatch', () => world.replan()]]);
  if (world.hasMails) {
    const mails = mailFaultsOf(chance);
    const text = [mails.killPoint && killText(mails.killPoint), mails.mailFault].filter(Boolean).join(', ');
    all.push([4, [`mails ${text}`, () => world.mail(mails)]]);
  }
  if (world.hasSecondRoute) all.push([2, ['the drivers of a route change', () => world.reassign()]]);
  const importFault = hostFaultOf(
    world,
    3,
    hostFaults.filter((kind) => kind !== 'refuses the rows'),
  );
  all.push([
    2,
    [`importer ${importFault ? `${importFault.kind} in ${importFault.count}` : ''}`, () => world.import(importFault)],
  ]);
  all.push(...ofDesk(world, expectNothing));
  if (world.hasRestores) all.push(...ofDatabase(world));
  if (time.hasTimers) all.push([12, ['timer', () => time.runNextTimer()]]);
  if (nodes.length < MAX_NODES) all.push([nodes.length === 0 ? 15 : 1, ['server starts', () => world.startServer()]]);
  for (const [n, node] of nodes.entries()) {
    const name = (what: string): string => `server ${n + 1} ${what}`;
    const killPoint = randomKillPoint(25);
    all.push([
      (world.hasRestores ? 4 : 1.5) / nodes.length,
      [name('gets a REST request'), () => world.sendByRest(node)],
    ]);
    all.push([4 / nodes.length, [name(killText(killPoint)), () => node.setKillPoint(killPoint)]]);
    all.push([1 / nodes.length, [name('killed'), () => node.kill()]]);
    all.push([3, [name('checks for missed changes'), () => node.checkForMissed()]]);
    if (world.hasWrongServers) all.push(...ofMachine(world, node, name));
    if (world.isClosing) all.push([2, [name('closes due routes'), () => world.closeDue(node)]]);
  }
  return all;
}

/** A mail takes four statements, and more with pictures. The last one notes that it was sent. */
function mailFaultsOf(chance: Chance): MailPassFaults {
  const moment = chance.odds(0.5) ? 'before' : 'after';
  const killPoint = chance.odds(0.5) ? ({ count: chance.below(5), of: 'statements', moment } as const) : undefined;
  return { killPoint, mailFault: chance.odds(0.3) ? chance.one(mailFaults) : undefined };
}

function ofDesk({ desk }: World, expectNothing: (wrong: readonly string[]) => void): WeightedEvent[] {
  const all: WeightedEvent[] = [];
  if (desk.lacksLateStop) all.push([0.3, ['the dispatch plans a stop', () => desk.planLateStop()]]);
  if (desk.hasLateStop) all.push([1.5, ['an operator decides', async () => expectNothing(await desk.decide())]]);
  if (desk.hasRefusals) all.push([1.5, ['an operator attends', async () => expectNothing(await desk.attendParked())]]);
  return all;
}

function ofDatabase(world: World): WeightedEvent[] {
  const { restorer } = world;
  const all: WeightedEvent[] = [[1, ['PostgreSQL is backed up', () => restorer.backUp()]]];
  if (restorer.mayPutBack) all.push([2.5, ['PostgreSQL is put back', () => world.putBack()]]);
  return all;
}

/** Clerks write no rows of these files. */
const rowFaults = hostFaults.filter((kind) => kind !== 'gets a clerk’s edit first');

/** Somebody sets the clock of a server's machine, or the machine sleeps. */
function ofMachine({ chance }: World, { machine }: ServerNode, name: (what: string) => string): WeightedEvent[] {
  const ahead = chance.one([-10_800_000, -300_000, 0, 300_000, 86_400_000]);
  const asleep = 1_000 + chance.below(10_000);
  return [
    [2, [name(`has a clock ahead by ${ahead}`), () => (machine.wallAheadMs = ahead)]],
    [1.5, [name(`sleeps for ${asleep}`), () => machine.sleep(asleep)]],
  ];
}

/** A random fault between service and host, or none. */
function hostFaultOf(
  { chance }: World,
  transactions: number,
  kinds: readonly HostFault['kind'][] = hostFaults,
): HostFault | undefined {
  return chance.odds(0.4) ? someHostFault(chance, transactions, kinds) : undefined;
}

function someHostFault(
  chance: Chance,
  transactions: number,
  kinds: readonly HostFault['kind'][] = hostFaults,
): HostFault {
  return { count: chance.below(transactions), kind: chance.one(kinds), staysAway: chance.odds(0.3) };
}

function ofDriver(world: World, driver: Driver, expectNothing: (wrong: readonly string[]) => void): WeightedEvent[] {
  const { own, phone, hasPhone, isSignedIn } = driver;
  const name = (what: string): string => `driver ${own}: ${what}`;
  const all: WeightedEvent[] = [];
  if (hasPhone && phone.app) {
    all.push([8, [name('tap'), () => world.tap(driver)]]);
    all.push([0.8, [name('photo'), () => world.photograph(driver)]]);
    // Two phones would revise one report.
    if (!world.phoneStorage.isTwin(driver)) all.push([0.8, [name('report'), () => world.report(driver)]]);
    if (world.isClosing) all.push([3, [name('returns'), () => world.returnToDepot(driver)]]);
  }
  const usesProduct = world.desk.signIns !== undefined;
  if (isSignedIn)
    all.push([
      usesProduct ? 0.6 : 0.3,
      [name('is signed out'), async () => expectNothing(await world.shifts.evict(driver))],
    ]);
  if (!isSignedIn || usesProduct) {
    const signIn = async (): Promise<void> => expectNothing(await world.shifts.signIn(driver, world.chance.odds(0.7)));
    all.push([isSignedIn ? 0.3 : usesProduct ? 1.5 : 0.6, [name('signs in again'), signIn]]);
  }
  if (!hasPhone)
    all.push([1, [name('takes the phone'), async () => expectNothing(await world.shifts.takePhone(driver))]]);
  if (world.phoneStorage.mayHaveNewerApp(driver)) {
    const recordNewer = async (): Promise<void> =>
      expectNothing(await world.phoneStorage.recordNewerKind(driver, world.chance));
    all.push([0.7, [name('had a newer app'), recordNewer]]);
  }
  if (world.phoneStorage.mayCopy(driver)) all.push(...ofStorage(world, driver, name, expectNothing));
  return all;
}

/** The phone is backed up, set back, continues on a second phone, or loses a row. */
function ofStorage(
  { chance, phoneStorage }: World,
  driver: Driver,
  name: (what: string) => string,
  expectNothing: (wrong: readonly string[]) => void,
): WeightedEvent[] {
  const all: WeightedEvent[] = [
    [2, [name('phone is backed up'), () => phoneStorage.backUp(driver)]],
    [1, [name('phone loses a row'), async () => expectNothing(await phoneStorage.damage(driver, chance))]],
  ];
  if (phoneStorage.hasBackup(driver))
    all.push([2, [name('phone is set back'), async () => expectNothing(await phoneStorage.setBack(driver))]]);
  if (!phoneStorage.hasTwin)
    all.push([4, [name('phone is copied'), async () => expectNothing(await phoneStorage.copy(driver))]]);
  return all;
}

function ofPhone(
  world: World,
  phone: Phone,
  n: number,
  expectNothing: (wrong: readonly string[]) => void,
): WeightedEvent[] {
  const { chance } = world;
  const { app, disk, files, network } = phone;
  const name = (what: string): string => `phone ${n + 1}: ${what}`;
  const all: WeightedEvent[] = [];
  // Two phones with one queue need to run side by side, and nearly each event of their storage kills an app.
  if (!app) all.push([world.phoneStorage.hasTwin ? 20 : 6, [name('app starts'), () => phone.start()]]);
  else all.push([0.7, [name('app is killed'), async () => expectNothing(await world.kill(phone))]]);
  if (disk.isWriting) all.push([20, [name('disk'), () => disk.finish()]]);
  // A full phone deletes files that the server has, so it could not send them to a restored server again.
  if (disk.isWriting && !world.hasRestores) all.push([0.5, [name('disk is full'), () => disk.refuse()]]);
  if (files.isWriting) all.push([10, [name('files'), () => files.finish()]]);
  const deliveries = network.deliveries();
  if (deliveries.length > 0) all.push([25, [name('network'), chance.one(deliveries)]]);
  if (network.hasConnections)
    all.push([0.7, [name('cut'), () => network.cut()]], [0.4, [name('freezes'), () => network.freeze()]]);
  if (!network.blocksSockets) all.push([0.3, [name('gets a proxy without sockets'), () => network.blockSockets()]]);
  else all.push([0.8, [name('leaves the proxy'), () => (network.blocksSockets = false)]]);
  if (network.isUp) all.push([0.4, [name('loses the network'), () => (network.isUp = false)]]);
  else all.push([3, [name('finds the network'), () => (network.isUp = true)]]);
  const jump = (chance.below(4) - 2) * 3_600_000;
  all.push([0.4, [name(`clock jumps by ${jump}`), () => phone.clock.jump(jump, world.time.now)]]);
  return all;
}

/**
 * Ends all faults but one: the first pass over all that the phones have sent meets one. Then every recorded change must
 * reach the host without help.
 */
async function heal(world: World, expectNothing: (wrong: readonly string[]) => void): Promise<void> {
  // In the first transaction, which writes most of the stops.
  let lastFault: HostFault | undefined = someHostFault(world.chance, 1);
  world.eventLog.push(`healing, the host ${lastFault.kind}`);
  if (world.hasRestores && world.restorer.mayPutBack) await world.putBack();
  // A phone without a session asks a restored server when somebody looks at it.
  for (const { app } of world.phones) app?.syncNow();
  for (const node of world.nodes) node.clearKillPoint();
  if (world.nodes.length === 0) await world.startServer();
  for (const { network } of world.phones) network.isUp = true;
  let restRounds = 0;
  let corrections = world.chance.below(MAX_LATE_CORRECTIONS + 1);
  for (let round = 0; round < HEALING_ROUNDS; round++) {
    expectNothing(await world.shifts.signInOne());
    for (const phone of world.phones) if (!phone.app) await phone.start();
    expectNothing(await world.settle());
    if (await deliverAll(world)) continue;
    if (round > 0 && corrections === 0 && world.isAtRest) {
      const wrong = await world.violations();
      if (wrong.length === 0) return;
      if (++restRounds === REST_ROUNDS) expectNothing(wrong);
    }
    const node = world.balance();
    if (node && !world.restDrivers.isAnswered) {
      world.sendByRest(node);
      // An operator decides below on what this request has left.
      expectNothing(await world.settle());
    }
    // Most rows are on the host only now. A restored server reads them first: an edit would bring it what it lacks.
    if (round > 0 && corrections > 0 && !world.awaitsComparison) {
      corrections -= 1;
      await world.correct();
    }
    await world.import();
    expectNothing(await world.desk.heal(round));
    await world.work({ hostFault: lastFault });
    lastFault = undefined;
    expectNothing(await world.workRows());
    if (world.hasMails) await world.mail(mailFaultsOf(world.chance));
    for (const each of world.nodes) {
      each.checkForMissed();
      if (world.isClosing) world.closeDue(each);
    }
    expectNothing(await world.settle());
    if (!(await deliverAll(world))) world.time.runNextTimer();
  }
  const open = world.drivers.flatMap(({ phone, history }) => {
    const { waiting, failed } = phone.uploads?.status.current ?? { waiting: 0, failed: [] };
    const receipts = history.ids.map((id) => `${id} ${JSON.stringify(phone.app?.receipt(id)?.current)}`);
    return [
      ...receipts.filter((line) => !/on_host.*complete/.test(line)),
      `files: ${waiting}, ${failed.length} failed`,
    ];
  });
  expectNothing(['the world reaches no rest', ...open, ...(await world.violations())]);
}

async function deliverAll(world: World): Promise<boolean> {
  let hasMoved = false;
  for (const phone of world.phones) {
    while (phone.disk.isWriting) {
      await phone.disk.finish();
      hasMoved = true;
    }
    while (phone.files.isWriting) {
      await phone.files.finish();
      hasMoved = true;
    }
    for (const deliver of phone.network.deliveries()) {
      await deliver();
      hasMoved = true;
    }
  }
  return hasMoved;
}
