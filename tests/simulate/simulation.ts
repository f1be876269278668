import type { Depot } from './depot.ts';
import type { Driver } from './driver.ts';
import { type Mishap, mishaps } from './host-line.ts';
import type { Fuse } from './mortal-database.ts';
import type { Phone } from './phone.ts';
import { World } from './world.ts';

/** A run that broke a promise. Its message contains the command that repeats the run. */
class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';

  constructor(seed: number, steps: number, wrong: readonly string[], story: readonly string[]) {
    const end = story.slice(-40).map((line) => `    ${line}`);
    const replay = `npm run simulate -- --seed ${seed} --steps ${steps}`;
    super([...wrong, `  what happened last:`, ...end, `  again: ${replay}`].join('\n'));
  }
}

/** Rounds within which a healed world must come to rest. One round covers a ping's round trip. */
const HEALING_ROUNDS = 400;

/** Servers over one database. With two, each sees the other's changes only through the database. */
const MOST_NODES = 2;

/** Rounds until all processes have received everything. One or two pings detect a frozen line. */
const RESTS = 12;

/** Worlds in parallel: while one waits for PostgreSQL, another one continues. Each has its own route. */
const WORLDS_AT_ONCE = 4;

/** The outcome of many worlds: a message for each seed that failed, and the counts of events in the others. */
export interface Outcome {
  readonly broken: string[];
  readonly stories: Map<number, readonly string[]>;
}

export async function simulateAll(depot: Depot, seeds: readonly number[], steps: number): Promise<Outcome> {
  const outcome: Outcome = { broken: [], stories: new Map() };
  const waiting = [...seeds];
  const lane = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      try {
        outcome.stories.set(seed, await simulate(depot, seed, steps));
      } catch (error) {
        if (!(error instanceof BrokenPromise)) throw error;
        outcome.broken.push(`seed ${seed}: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: WORLDS_AT_ONCE }, lane));
  return outcome;
}

type Happening = readonly [weight: number, what: readonly [name: string, happen: () => unknown]];

/**
 * Plays `steps` random events in the world of a seed, heals the world and checks every promise.
 *
 * @returns the log, a line for each event
 * @throws BrokenPromise
 */
async function simulate(depot: Depot, seed: number, steps: number): Promise<readonly string[]> {
  const world = await World.open(depot, seed);
  const expectNothing = (wrong: readonly string[]): void => {
    if (wrong.length > 0) throw new BrokenPromise(seed, steps, wrong, world.story);
  };
  try {
    for (let step = 0; step < steps; step++) {
      world.time.pass(world.chance.below(50));
      const [name, happen] = world.chance.weighted(happenings(world, expectNothing));
      world.story.push(`${world.time.now} ${name}`);
      await happen();
      expectNothing(await world.settle());
    }
    await heal(world, expectNothing);
    return world.story;
  } finally {
    await world.close();
  }
}

function happenings(world: World, expectNothing: (wrong: readonly string[]) => void): Happening[] {
  const { chance, time, nodes } = world;
  const fuse = (statements: number): Fuse => {
    const of = chance.odds(0.5) ? 'statements' : 'commits';
    const moment = chance.odds(0.5) ? 'before' : 'after';
    return { count: chance.below(of === 'statements' ? statements : 2), of, moment };
  };
  const deathOf = ({ count, of, moment }: Fuse): string => `dies ${moment} ${count} ${of}`;
  const all = [
    ...world.drivers.flatMap((driver) => ofDriver(world, driver, expectNothing)),
    ...world.phones.flatMap((phone, n) => ofPhone(world, phone, n, expectNothing)),
  ];
  const worker = chance.odds(0.3) ? fuse(12) : undefined;
  const mishap = mishapOf(world, 5);
  const fate = [worker && deathOf(worker), mishap && `${mishap.what} in ${mishap.count}`].filter(Boolean).join(', ');
  all.push([5, [`worker ${fate}`, () => world.work({ fuse: worker, mishap })]]);
  all.push([2, ['a clerk', world.correct]], [0.7, ['the dispatch', () => world.replan()]]);
  const atLook = mishapOf(world, 3);
  all.push([2, [`importer ${atLook ? `${atLook.what} in ${atLook.count}` : ''}`, () => world.import(atLook)]]);
  if (time.hasAlarms) all.push([12, ['alarm', () => time.ringNext()]]);
  if (nodes.length < MOST_NODES) all.push([nodes.length === 0 ? 15 : 1, ['server starts', () => world.startServer()]]);
  for (const [n, node] of nodes.entries()) {
    const name = (what: string): string => `server ${n + 1} ${what}`;
    const death = fuse(25);
    all.push([1.5 / nodes.length, [name('is asked by REST'), () => world.ask(node)]]);
    all.push([4 / nodes.length, [name(deathOf(death)), () => node.light(death)]]);
    all.push([1 / nodes.length, [name('dies'), () => node.kill()]]);
    all.push([3, [name('checks for missed changes'), () => node.checkForMissed()]]);
  }
  return all;
}

/** A random fault between service and host, or none. */
function mishapOf({ chance }: World, transactions: number): Mishap | undefined {
  if (!chance.odds(0.3)) return undefined;
  return { count: chance.below(transactions), what: chance.one(mishaps), thenAway: chance.odds(0.3) };
}

function ofDriver(world: World, driver: Driver, expectNothing: (wrong: readonly string[]) => void): Happening[] {
  const { own, phone, hasPhone, isSignedIn } = driver;
  const name = (what: string): string => `driver ${own}: ${what}`;
  const all: Happening[] = [];
  if (hasPhone && phone.app) {
    all.push([8, [name('tap'), () => world.tap(driver)]]);
    all.push([0.8, [name('photo'), () => world.photograph(driver)]]);
  }
  if (isSignedIn) all.push([0.3, [name('is put out'), () => world.evict(driver)]]);
  else all.push([0.6, [name('signs in again'), async () => expectNothing(await world.signIn(driver))]]);
  if (!hasPhone) all.push([1, [name('takes the phone'), async () => expectNothing(await world.take(driver))]]);
  return all;
}

function ofPhone(
  world: World,
  phone: Phone,
  n: number,
  expectNothing: (wrong: readonly string[]) => void,
): Happening[] {
  const { chance } = world;
  const { app, disk, files, network } = phone;
  const name = (what: string): string => `phone ${n + 1}: ${what}`;
  const all: Happening[] = [];
  if (!app) all.push([6, [name('app starts'), () => phone.start()]]);
  else all.push([0.7, [name('app is killed'), async () => expectNothing(await world.kill(phone))]]);
  if (disk.isWriting)
    all.push([20, [name('disk'), () => disk.finish()]], [0.5, [name('disk is full'), () => disk.refuse()]]);
  if (files.isWriting) all.push([10, [name('files'), () => files.finish()]]);
  const deliveries = network.deliveries();
  if (deliveries.length > 0) all.push([25, [name('network'), chance.one(deliveries)]]);
  if (network.hasLines)
    all.push([0.7, [name('cut'), () => network.cut()]], [0.4, [name('freezes'), () => network.freeze()]]);
  if (network.isUp) all.push([0.4, [name('loses its cell'), () => (network.isUp = false)]]);
  else all.push([3, [name('finds a cell'), () => (network.isUp = true)]]);
  const jump = (chance.below(4) - 2) * 3_600_000;
  all.push([0.4, [name(`clock jumps by ${jump}`), () => (phone.skewMs += jump)]]);
  return all;
}

/** Ends all faults. Then every recorded change must reach the host without help. */
async function heal(world: World, expectNothing: (wrong: readonly string[]) => void): Promise<void> {
  world.story.push('healing');
  for (const node of world.nodes) node.extinguish();
  if (world.nodes.length === 0) await world.startServer();
  for (const driver of world.drivers) if (await world.isNeeded(driver)) expectNothing(await world.signIn(driver));
  for (const phone of world.phones) {
    phone.network.isUp = true;
    if (!phone.app) await phone.start();
  }
  let rests = 0;
  for (let round = 0; round < HEALING_ROUNDS; round++) {
    expectNothing(await world.settle());
    if (await moveOn(world)) continue;
    if (round > 0 && world.isAtRest) {
      const wrong = await world.broken();
      if (wrong.length === 0) return;
      if (++rests === RESTS) expectNothing(wrong);
    }
    const node = world.balance();
    if (node && !world.desk.isAnswered) world.ask(node);
    await world.import();
    await world.work();
    for (const each of world.nodes) each.checkForMissed();
    expectNothing(await world.settle());
    if (!(await moveOn(world))) world.time.ringNext();
  }
  const open = world.drivers.flatMap(({ phone, diary }) => {
    const { waiting, failed } = phone.uploads?.status.current ?? { waiting: 0, failed: [] };
    const receipts = diary.ids.map((id) => `${id} ${JSON.stringify(phone.app?.receipt(id)?.current)}`);
    return [
      ...receipts.filter((line) => !/on_host.*complete/.test(line)),
      `files: ${waiting}, ${failed.length} failed`,
    ];
  });
  expectNothing(['the world does not come to rest', ...open, ...(await world.broken())]);
}

async function moveOn(world: World): Promise<boolean> {
  let moved = false;
  for (const phone of world.phones) {
    while (phone.disk.isWriting) {
      await phone.disk.finish();
      moved = true;
    }
    while (phone.files.isWriting) {
      await phone.files.finish();
      moved = true;
    }
    for (const deliver of phone.network.deliveries()) {
      await deliver();
      moved = true;
    }
  }
  return moved;
}
