import type { LocalClient } from '../client.ts';
import { messageOf, Unreachable } from '../errors.ts';
import type { Receipt } from '../queue/receipt.ts';
import type { Watch } from '../watch.ts';
import type { Answer, Call, Change, Line, Message, Shown, Wanted } from './line.ts';

/** The page that runs the client, as the other pages meet it. */
export class Host {
  readonly #client: LocalClient;
  readonly #line: Line;
  /** What is shown, by name; the way to stop. */
  readonly #showing = new Map<string, { readonly again: () => void; readonly stop: () => void }>();

  constructor(client: LocalClient, line: Line) {
    this.#client = client;
    this.#line = line;
    line.say({ type: 'leads' });
    // Nobody may have been there to ask.
    this.#showBasics();
  }

  take(message: Message): void {
    switch (message.type) {
      case 'arrived':
        this.#line.say({ type: 'leads' });
        return this.#showBasics();
      case 'wants':
        return this.#want(message.wanted);
      case 'records':
        return this.#record(message.change);
      case 'asks':
        return void this.#answer(message.id, message.what);
      default:
    }
  }

  /** A change was recorded in this very page. */
  recorded({ id }: Receipt): void {
    this.#line.say({ type: 'recorded', id });
  }

  close(): void {
    for (const { stop } of this.#showing.values()) stop();
    this.#showing.clear();
  }

  #showBasics(): void {
    const { status, driver, routes } = this.#client;
    this.#show('status', status, (value) => ({ of: 'status', value }));
    this.#show('driver', driver, (value) => ({ of: 'driver', value }));
    this.#show('routes', routes, (value) => ({ of: 'routes', value }));
    this.#want({ of: 'route', key: undefined });
  }

  #want(wanted: Wanted): void {
    const name = JSON.stringify(wanted);
    switch (wanted.of) {
      case 'codes':
        return this.#show(name, this.#client.codes(wanted.type), (value) => ({ ...wanted, value }));
      case 'route':
        return this.#show(name, this.#client.route(wanted.key), (value) => ({ ...wanted, value }));
      case 'receipt': {
        const receipt = this.#client.receipt(wanted.id);
        if (receipt) this.#show(name, receipt, (value) => ({ ...wanted, value }));
      }
    }
  }

  #show<Value>(name: string, watch: Watch<Value>, shown: (value: Value) => Shown): void {
    const known = this.#showing.get(name);
    if (known) return known.again();
    const say = (): void => this.#line.say({ type: 'shows', shown: shown(watch.current) });
    this.#showing.set(name, { again: say, stop: watch.subscribe(say) });
    say();
  }

  #record(change: Change): void {
    const receipt = record(this.#client, change);
    this.recorded(receipt);
    this.#want({ of: 'receipt', id: receipt.id });
  }

  async #answer(id: string, what: Call): Promise<void> {
    this.#line.say({ type: 'answers', id, answer: await this.#do(what) });
  }

  async #do(what: Call): Promise<Answer> {
    const client = this.#client;
    try {
      if (what.call === 'signIn') return { kind: 'result', value: await client.signIn(what.input) };
      if (what.call === 'signUp') return { kind: 'result', value: await client.signUp(what.employeeId, what.password) };
      return { kind: 'result', value: await client.signOut() };
    } catch (error) {
      return { kind: error instanceof Unreachable ? 'unreachable' : 'failed', message: messageOf(error) };
    }
  }
}

/** Takes a change of another page into the one queue; a change that is there already stays as it is. */
export function record(client: LocalClient, change: Change): Receipt {
  return change.is === 'update'
    ? client.updateStop(change.route, change.stop, change.by)
    : client.skipStop(change.route, change.stop, change.fields, change.by);
}
