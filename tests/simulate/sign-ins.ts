import type { Account } from './model/accounts.ts';
import { members } from './model/members.ts';
import type { RestAnswer, RestNode } from './rest-node.ts';
import type { WorldTime } from './world-time.ts';

const PASSWORD = 'on the road';
const DEVICE = 'simulation';

export interface SignInsDeps {
  readonly node: () => Promise<RestNode>;
  readonly time: WorldTime;
  readonly accounts: Map<string, Account>;
}

/** The result of a sign-in. Without a token the driver has let another one keep the route. */
export interface SignedIn {
  readonly token: string | undefined;
  readonly evicted: readonly string[];
  readonly wrong: readonly string[];
}

/** Sign-ups, sign-ins and sign-outs by the product's own operations. */
export class SignIns {
  readonly #deps: SignInsDeps;

  constructor(deps: SignInsDeps) {
    this.#deps = deps;
  }

  async signUp(employee: string): Promise<string> {
    const answer = await this.#send('signup', { employee_id: employee, password: PASSWORD, device: DEVICE });
    const { now } = this.#deps.time;
    this.#deps.accounts.set(employee, { registeredAt: now, lastSeenAt: now, signedInAt: now, isSignedIn: true });
    return tokenIn(answer);
  }

  /**
   * Asks first, as the app does.
   *
   * @param mates lists of drivers, one of which shares the driver's pending route
   * @param confirms whether the driver takes the route over
   */
  async signIn(employee: string, mates: readonly (readonly string[])[], confirms: boolean): Promise<SignedIn> {
    const { accounts, time } = this.#deps;
    const isOther = (id: string): boolean => id !== employee && accounts.get(id)?.isSignedIn === true;
    const possible = mates.map((list) => list.filter(isOther).toSorted());
    const body = { employee_id: employee, password: PASSWORD, device: DEVICE };
    let answer = await this.#send('signin', body);
    const others = answer.code === 'OTHER_DRIVERS_SIGNED_IN' ? driversIn(answer.data) : [];
    const wrong = possible.some((each) => each.join() === others.join())
      ? []
      : [`${others.join()} are signed in, not ${possible.map((each) => each.join()).join(' or ')}`];
    if (others.length > 0 && !confirms) return { token: undefined, evicted: [], wrong };
    if (others.length > 0) answer = await this.#send('signin', { ...body, confirm_login: true });
    for (const id of others) {
      const other = accounts.get(id);
      if (other) other.isSignedIn = false;
    }
    const account = accounts.get(employee);
    if (account) Object.assign(account, { lastSeenAt: time.now, signedInAt: time.now, isSignedIn: true });
    return { token: tokenIn(answer), evicted: others, wrong };
  }

  /** Ends every session of the driver. @returns what is wrong with the answer */
  async signOut(employee: string, token: string): Promise<readonly string[]> {
    const { accounts, time } = this.#deps;
    const answer = await (
      await this.#deps.node()
    ).send('POST', '/api/auth/signout', { employee_id: employee, api_token: token });
    if (answer.status !== 200) return [`the sign-out of ${employee} is answered ${answer.code}`];
    const account = accounts.get(employee);
    if (account) Object.assign(account, { lastSeenAt: time.now, isSignedIn: false });
    return [];
  }

  async #send(operation: string, body: object): Promise<RestAnswer> {
    return (await this.#deps.node()).send('POST', `/api/auth/${operation}`, {}, body);
  }
}

function tokenIn({ status, code, data }: RestAnswer): string {
  if (status !== 200) throw new Error(`a sign-in is answered ${code}`);
  return String(members(data, 'a sign-in')['api_token']);
}

function driversIn(data: unknown): string[] {
  const { drivers } = members(data, 'the drivers who are signed in');
  if (!Array.isArray(drivers)) throw new Error('the drivers who are signed in are no list');
  return drivers.map((each: unknown) => String(members(each, 'a driver')['id'])).toSorted();
}
