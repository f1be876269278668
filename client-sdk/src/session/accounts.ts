import { assignedRoute } from '@tailgate/sync-protocol';
import type { AssignedRoute } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import type { Journal } from '../store/journal.ts';
import type { Store, StoreChange } from '../store/store.ts';
import { Signal } from '../watch.ts';

/** A driver who has signed in on this device. */
const account = z.object({
  employee: z.string(),
  name: z.string(),
  /** Null once the server has ended the session, or the driver has. */
  token: z.nullable(z.string()),
  /** The driver has signed out and the server does not know it yet. */
  leaving: z.boolean(),
  /** Their routes, the pending one first. */
  routes: z.array(assignedRoute),
});
export type Account = z.infer<typeof account>;

const setting = z.object({ employee: z.nullable(z.string()) });
const currentKey = 'current';

/** Who has used this device, and who does now. */
export class Accounts {
  /** Who works with this device; stays when the server ends the session, until a sign-out or another sign-in. */
  readonly current: Signal<Account | undefined>;
  readonly #journal: Journal;
  readonly #all = new Map<string, Account>();

  private constructor(all: Iterable<Account>, current: string | null, journal: Journal) {
    for (const each of all) this.#all.set(each.employee, each);
    this.current = new Signal(this.#all.get(current ?? ''));
    this.#journal = journal;
  }

  /** @param employee who works with this device, where the app knows; else who did so last */
  static async open(store: Store, journal: Journal, employee: string | undefined): Promise<Accounts> {
    const [rows, settings] = await Promise.all([store.readAll('account'), store.readAll('setting')]);
    const all = rows.flatMap(({ value }) => {
      const parsed = account.safeParse(value);
      return parsed.success ? [parsed.data] : [];
    });
    const last = setting.safeParse(settings.find((row) => row.key === currentKey)?.value);
    return new Accounts(all, employee ?? (last.success ? last.data.employee : null), journal);
  }

  find(employee: string): Account | undefined {
    return this.#all.get(employee);
  }

  get all(): IterableIterator<Account> {
    return this.#all.values();
  }

  /** A sign-in: this driver works with the device from now on. Durable when it resolves. */
  async enter(employee: string, name: string, token: string): Promise<void> {
    const known = this.#all.get(employee);
    const entered: Account = { employee, name, token, leaving: false, routes: known?.routes ?? [] };
    await this.#put(entered, [putCurrent(employee)], entered);
  }

  /** A sign-out on this device; the token is kept until the server knows. */
  async leave(employee: string): Promise<void> {
    const known = this.#all.get(employee);
    if (!known) return;
    const current = this.current.current?.employee === employee ? undefined : this.current.current;
    await this.#put({ ...known, leaving: known.token !== null }, [putCurrent(current?.employee ?? null)], current);
  }

  /** The token is worth nothing any more. */
  dropToken(employee: string): void {
    const known = this.#all.get(employee);
    if (known?.token) void this.#put({ ...known, token: null, leaving: false });
  }

  setRoutes(employee: string, routes: AssignedRoute[]): void {
    const known = this.#all.get(employee);
    if (known) void this.#put({ ...known, routes });
  }

  #put(next: Account, more: readonly StoreChange[] = [], current = this.current.current): Promise<void> {
    this.#all.set(next.employee, next);
    this.current.set(current?.employee === next.employee ? next : current);
    return this.#journal.commit([{ put: 'account', key: next.employee, value: next }, ...more]);
  }
}

const putCurrent = (employee: string | null): StoreChange => ({ put: 'setting', key: currentKey, value: { employee } });
