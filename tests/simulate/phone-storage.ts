import { Chance } from './chance.ts';
import type { Tap } from './model/diary.ts';
import { NEWER_KIND } from './model/diary.ts';
import { hasLateStop, placeOf } from './model/fixture.ts';
import type { Driver } from './driver.ts';
import { newerItem } from './newer-item.ts';
import { type Copies, hasCopies } from './model/copies.ts';
import { members } from './model/members.ts';
import { storedChanges } from './model/stored-changes.ts';
import type { Backup, Phone } from './phone.ts';

export interface PhoneStorageDeps {
  readonly seed: number;
  readonly copies: Copies;
  readonly phones: Phone[];
  readonly drivers: Driver[];
  readonly kill: (phone: Phone) => Promise<string[]>;
  readonly note: (driver: Driver, tap: Pick<Tap, 'id' | 'stop' | 'values'>) => void;
  readonly log: (text: string) => void;
  /** The time of the world. */
  readonly now: () => number;
}

/** The storage of phones: backups, second phones with a copy, rows that can no longer be read, and rows of a newer app. */
export class PhoneStorage {
  readonly #deps: PhoneStorageDeps;
  readonly #backups = new Map<Driver, { readonly backup: Backup; readonly signIns: number }>();

  constructor(deps: PhoneStorageDeps) {
    this.#deps = deps;
  }

  /** Whether the phone is of this driver alone, in a world with copies. */
  mayCopy({ phone, employee }: Driver): boolean {
    const { drivers, seed } = this.#deps;
    return hasCopies(seed) && drivers.every((other) => other.phone !== phone || other.employee === employee);
  }

  /** Whether the phone may have had a newer app, in a world with an operator. */
  mayHaveNewerApp({ phone, employee }: Driver): boolean {
    const { seed } = this.#deps;
    return hasLateStop(seed) && phone.employee === employee;
  }

  hasBackup(driver: Driver): boolean {
    return this.#backups.has(driver);
  }

  /** One second phone in a world is enough for every order of events between two. */
  get hasTwin(): boolean {
    return this.#deps.drivers.some((driver) => this.isTwin(driver));
  }

  /** Whether the phone began as a copy of another one. */
  isTwin(driver: Driver): boolean {
    const { drivers } = this.#deps;
    return drivers.find(({ employee }) => employee === driver.employee) !== driver;
  }

  async backUp(driver: Driver): Promise<void> {
    this.#backups.set(driver, { backup: await driver.phone.backUp(), signIns: driver.signIns });
  }

  /**
   * A driver's phone gets the storage of its backup. A change that has grown since would be another one under the same
   * id, which the server refuses (docs/protocol.md, `ID_REUSED`): such a backup is not used.
   */
  async setBack(driver: Driver): Promise<string[]> {
    const { copies, kill, log } = this.#deps;
    const { phone, history } = driver;
    const { backup, signIns } = this.#backups.get(driver) ?? {};
    const wrong = await kill(phone);
    if (!backup) return wrong;
    const stored = await storedChanges(backup.disk);
    if (stored.some(({ id, values }) => history.hasGrown(id, values))) {
      log('  a change has grown since');
      return wrong;
    }
    await phone.setTo(backup);
    history.setTo(new Set(stored.map(({ id }) => id)));
    if (signIns !== driver.signIns) driver.leave();
    copies.add(driver.employee);
    return wrong;
  }

  /** A second phone of the driver continues with the same storage. */
  async copy(driver: Driver): Promise<string[]> {
    const { copies, phones, drivers, kill, seed } = this.#deps;
    const wrong = await kill(driver.phone);
    const phone = await driver.phone.copy(new Chance(seed * 1_000 + phones.length + 1));
    phones.push(phone);
    drivers.push(driver.withCopy(phone));
    copies.add(driver.employee);
    return wrong;
  }

  /** The storage damages the row of a change that the server has not answered. */
  async damage({ phone, history, employee }: Driver, chance: Chance): Promise<string[]> {
    const { copies, kill, log } = this.#deps;
    const wrong = await kill(phone);
    const stored = await storedChanges(phone.disk);
    const waiting = stored.filter(({ isWaiting }) => isWaiting);
    if (waiting.length === 0) return wrong;
    const { key, id, clientId, seq } = chance.one(waiting);
    log(`  item ${seq}, ${id}, can no longer be read`);
    await phone.disk.put([{ put: 'item', key, value: 'damaged' }]);
    copies.losses.push({ employee, clientId, seq, id });
    history.setTo(new Set(stored.map((each) => each.id).filter((each) => each !== id)));
    return wrong;
  }

  /** A newer app recorded a change of a kind that neither this app nor the server knows. The phone got this app again. */
  async recordNewerKind(driver: Driver, chance: Chance): Promise<string[]> {
    const { kill, note, seed, now } = this.#deps;
    const { phone, employee } = driver;
    const wrong = await kill(phone);
    const heads = (await phone.disk.readAll('queue')).map(({ value }) => members(value, 'a queue'));
    const head = heads.find((each) => each['employee'] === employee && each['retired'] === false);
    if (!head) return wrong;
    const clientId = String(head['client_id']);
    const ofQueue = (await storedChanges(phone.disk)).filter((each) => each.clientId === clientId);
    const seq = Math.max(Number(head['sealed_seq']), ...ofQueue.map((each) => each.seq)) + 1;
    const id = `ffffffff-0000-7000-8000-${chance.below(1e12).toString().padStart(12, '0')}`;
    const place = { ...placeOf(seed, driver.own), clientId, employee, seq };
    const value = newerItem(id, place, { phoneNow: now() + phone.clock.aheadMs, before: ofQueue });
    await phone.disk.put([{ put: 'item', key: `${clientId}/${String(seq).padStart(10, '0')}`, value }]);
    note(driver, { id, stop: NEWER_KIND, values: {} });
    return wrong;
  }
}
