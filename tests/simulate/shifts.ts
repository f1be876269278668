import type { Db } from '../../server/src/db/types.ts';
import type { Desk } from './desk.ts';
import type { Driver } from './driver.ts';
import type { Phone } from './phone.ts';

export interface ShiftsDeps {
  readonly db: Db;
  readonly desk: Desk;
  readonly drivers: readonly Driver[];
  readonly kill: (phone: Phone) => Promise<string[]>;
  /** The time of the world. */
  readonly now: () => number;
}

/** The sessions of the drivers, and the turns of those who share a phone. */
export class Shifts {
  readonly #deps: ShiftsDeps;

  constructor(deps: ShiftsDeps) {
    this.#deps = deps;
  }

  /** The sessions of this driver end: another driver takes the route over, or this driver signs out. */
  async evict(driver: Driver): Promise<readonly string[]> {
    const { db, desk, drivers, now } = this.#deps;
    if (!desk.signIns) await driver.evict(db, now());
    for (const each of drivers) if (each.employee === driver.employee) each.leave();
    return (await desk.signIns?.signOut(driver.employee, driver.token)) ?? [];
  }

  /** A driver takes the phone and signs in. */
  async signIn(driver: Driver, confirms = true): Promise<string[]> {
    const { db, desk, drivers, kill } = this.#deps;
    const wrong = await kill(driver.phone);
    if (!desk.signIns) await driver.signIn(db);
    else wrong.push(...(await desk.signIn(driver, drivers, confirms)));
    return wrong;
  }

  /** One driver whose changes can only go out by a sign-in signs in. That may end the sessions of the others. */
  async signInOne(): Promise<readonly string[]> {
    const { desk, drivers } = this.#deps;
    const isBusy = async (driver: Driver): Promise<boolean> =>
      driver.isSignedIn && driver.hasPhone && (await driver.storedQueueKeys()).length === 0;
    // A driver who has just signed in first gets a queue key: another sign-in would end that session. A phone with a
    // token does not notice that its key has been replaced.
    if (desk.signIns) for (const driver of drivers) if (await isBusy(driver)) return [];
    for (const driver of drivers) if (await this.#needsSignIn(driver)) return this.signIn(driver);
    return [];
  }

  /** A driver takes over the phone of another driver. */
  async takePhone({ phone, employee }: Driver): Promise<string[]> {
    const wrong = await this.#deps.kill(phone);
    phone.setDriver(employee);
    return wrong;
  }

  /** Whether only this driver can deliver the recorded changes: the queue has no valid key. */
  async #needsSignIn(driver: Driver): Promise<boolean> {
    return !driver.isSignedIn && !(await driver.hasQueueKey(this.#deps.db));
  }
}
