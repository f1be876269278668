import type { AssignedRoute, Json } from '@tailgate/sync-protocol';
import { NotSignedIn } from '../platform/errors.ts';
import type { Journal } from '../store/journal.ts';
import type { Read } from '../platform/reading.ts';
import { exactly, fields, flag, json, listOf, nullable, number, optional, text } from '../platform/reading.ts';
import type { Row } from '../store/store.ts';
import { Signal } from '../platform/watch.ts';

/** A driver who has signed in on this device. */
const isAccount = fields({
  employee: text,
  name: text,
  /** Null after the server or the driver has ended the session. */
  token: nullable(text),
  /** The driver has signed out, and the server has not confirmed it yet. */
  leaving: flag,
  /** When the session expires (ms since 1970, by this device's clock); the server sends it a day ahead. */
  ends_at: optional(number),
  /** The driver's routes, the pending one first. */
  routes: listOf(fields({ facility: text, id: text, week_end: text, scope: text, status: exactly('O', 'C') })),
  /** The server has assigned the routes; absent in rows of older apps. */
  routes_known: optional(flag),
  /** The driver's memo: any JSON of the app. */
  memo: optional(json),
});
export type Account = Read<typeof isAccount>;

const isCurrent = fields({ employee: text });
const currentKey = 'current';

/** The drivers who have used this device, and the signed-in one. */
export class Accounts {
  /** The signed-in driver. Stays after the server ends the session, until a sign-out or another sign-in. */
  readonly current: Signal<Account | undefined>;
  readonly #journal: Journal;
  readonly #all = new Map<string, Account>();

  /** @param employee the driver, if the app has set one; else the last one */
  constructor(accounts: readonly Row[], settings: readonly Row[], employee: string | undefined, journal: Journal) {
    for (const { value } of accounts) if (isAccount(value)) this.#all.set(value.employee, value);
    const last = settings.find((row) => row.key === currentKey)?.value;
    this.current = new Signal(this.#all.get(employee ?? (isCurrent(last) ? last.employee : '')));
    this.#journal = journal;
  }

  find(employee: string): Account | undefined {
    return this.#all.get(employee);
  }

  /** The signed-in driver's employee id. */
  get employee(): string | undefined {
    return this.current.current?.employee;
  }

  get all(): IterableIterator<Account> {
    return this.#all.values();
  }

  /** Signs a driver in. Resolves when that is durable, unless storage fails. */
  enter(employee: string, name: string, token: string): Promise<void> {
    const { routes = [], routes_known, memo } = this.#all.get(employee) ?? {};
    return this.#put(
      { employee, name, token, leaving: false, ends_at: undefined, routes, routes_known, memo },
      employee,
    );
  }

  /** Signs the driver out; the token remains until the server has confirmed it. */
  async leave(): Promise<void> {
    const known = this.current.current;
    if (known) await this.#put({ ...known, leaving: known.token !== null }, undefined);
  }

  /** The token is no longer valid. */
  dropToken(employee: string): void {
    const known = this.#all.get(employee);
    if (known?.token) this.#update({ ...known, token: null, leaving: false, ends_at: undefined });
  }

  /** Sets the session's expiry. @returns false where it is already known */
  setEnd(employee: string, ends_at: number): boolean {
    const known = this.#all.get(employee);
    if (!known?.token || known.ends_at !== undefined) return false;
    this.#update({ ...known, ends_at });
    return true;
  }

  setRoutes(employee: string, routes: AssignedRoute[]): void {
    const known = this.#all.get(employee);
    if (known) this.#update({ ...known, routes, routes_known: true });
  }

  /** Resolves when the memo is stored; while storage fails, it waits in memory. */
  setMemo(memo: Json | undefined, employee = this.employee): Promise<void> {
    const known = this.#all.get(employee ?? '');
    if (!known) throw new NotSignedIn();
    return this.#put({ ...known, memo }, this.employee);
  }

  #update(account: Account): void {
    void this.#put(account, this.employee);
  }

  /** @param current the signed-in driver from now on */
  #put(account: Account, current: string | undefined): Promise<void> {
    this.#all.set(account.employee, account);
    this.current.set(this.#all.get(current ?? ''));
    return this.#journal.attempt([
      { put: 'account', key: account.employee, value: account },
      { put: 'setting', key: currentKey, value: { employee: current ?? null } },
    ]);
  }
}
