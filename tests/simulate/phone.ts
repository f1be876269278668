import { createHash } from 'node:crypto';
import type { Client, Environment, Store } from '@tailgate/client-sdk';
import { createClient } from '@tailgate/client-sdk';
import type { MemoryFiles, Uploads } from '@tailgate/client-sdk/uploads';
import { openUploads } from '@tailgate/client-sdk/uploads';
import type { Chance } from './chance.ts';
import { Disk } from './disk.ts';
import { FileDisk } from './file-disk.ts';
import { type PhoneRequest, PhoneNetwork, PhoneSocket, type ServerSide } from './network.ts';
import { PhoneClock } from './model/phone-clock.ts';
import { isFileHere } from './model/stored-files.ts';
import type { Quiescence } from './quiescence.ts';
import { tusStack } from './tus-stack.ts';
import type { WorldTime } from './world-time.ts';

// An app imports these modules on demand. The simulation imports them first, so that reading a file cannot affect the
// order.
await import('../../client-sdk/src/connection/http-transport.ts');
await import('../../client-sdk/src/uploads/send-file.ts');

/** A photo of this world needs one to three requests. */
export const CHUNK_BYTES = 512;

const HOUR_MS = 3_600_000;
/** How far phones' clocks are ahead of the world's, from the first day on. */
const FACTORY_CLOCKS_MS = [0, 0, 90_000, -5 * HOUR_MS, 27 * HOUR_MS];

export interface PhoneDeps {
  readonly server: ServerSide;
  readonly quiescence: Quiescence;
  readonly time: WorldTime;
  readonly chance: Chance;
}

/** A driver's phone: disk, network, and the real SDK on it while the app runs. */
export class Phone {
  readonly disk = new Disk();
  readonly files = new FileDisk();
  readonly network: PhoneNetwork;
  readonly clock: PhoneClock;
  readonly #deps: PhoneDeps;
  #life: Life | undefined;
  #app: Client | undefined;
  #uploads: Uploads | undefined;
  #employee: string;

  constructor(employee: string, deps: PhoneDeps, clock = new PhoneClock(deps.chance.one(FACTORY_CLOCKS_MS))) {
    this.#employee = employee;
    this.#deps = deps;
    this.network = new PhoneNetwork(deps.server, deps.quiescence);
    this.clock = clock;
  }

  /** Another phone with a copy of this one's storage. The app must not run. */
  async copy(chance: Chance): Promise<Phone> {
    const copy = new Phone(this.#employee, { ...this.#deps, chance }, this.clock.copy());
    await copy.setTo(await this.backUp());
    return copy;
  }

  /** The content of the storage; writes that are under way are not part of it. */
  async backUp(): Promise<Backup> {
    return { disk: await this.disk.image(), files: await this.files.image() };
  }

  /** The storage gets the content of a backup. The app must not run. */
  async setTo({ disk, files }: Backup): Promise<void> {
    await this.disk.setTo(disk);
    await this.files.setTo(files, isFileHere);
  }

  /** The driver who uses the phone. */
  get employee(): string {
    return this.#employee;
  }

  /** The app, while it runs. */
  get app(): Client | undefined {
    return this.#app;
  }

  /** Its files, while the app runs. */
  get uploads(): Uploads | undefined {
    return this.#uploads;
  }

  /** A driver has signed in on this phone. */
  async signIn(employee: string, token: string): Promise<void> {
    const account = { employee, name: `Driver ${employee}`, token, leaving: false, routes: [] };
    await this.disk.put([{ put: 'account', key: employee, value: account }]);
    this.setDriver(employee);
  }

  /** From the next start of the app on, another driver uses the phone. */
  setDriver(employee: string): void {
    this.#employee = employee;
  }

  async start(): Promise<Client> {
    this.clock.starts(this.#deps.time.now);
    const life = new Life(this, this.#deps);
    this.#life = life;
    const isAlive = (): boolean => life.isAlive;
    const store = this.disk.store(isAlive);
    const uploads = await openUploads({
      store: this.files.store(isAlive),
      photos: false,
      chunkBytes: CHUNK_BYTES,
      httpStack: tusStack(this.network, isAlive),
    });
    this.#uploads = uploads;
    const { employee: employeeId } = this;
    const own = { url: 'http://simulated', store, device: 'phone', uploads, employeeId };
    this.#app = await createClient({ ...own, ...life.environment });
    return this.#app;
  }

  /** As the operating system kills an app: no write completes and no socket closes. */
  async kill(): Promise<void> {
    this.#life?.end();
    this.#life = this.#app = this.#uploads = undefined;
    await this.disk.crash(this.#deps.chance.below(3));
    await this.files.crash(this.#deps.chance.below(2));
    this.network.cut();
  }
}

/** A backup of a phone's storage. */
export interface Backup {
  readonly disk: Store;
  readonly files: MemoryFiles;
}

/** One run of the app: the platform functions it uses, until it ends. */
class Life {
  isAlive = true;
  readonly environment: Environment;
  readonly #timers = new Set<() => void>();

  constructor(phone: Phone, { time, chance }: PhoneDeps) {
    const begin = time.now;
    const isAlive = (): boolean => this.isAlive;
    class AppSocket extends PhoneSocket {
      constructor() {
        super();
        phone.network.connect(this, isAlive);
      }
    }
    this.environment = {
      clock: {
        now: () => time.now + phone.clock.aheadMs,
        monotonic: () => time.now - begin,
        after: (ms, work) => {
          if (!this.isAlive) return () => undefined;
          const cancel = time.after(ms, work);
          this.#timers.add(cancel);
          return cancel;
        },
      },
      random: { fraction: () => chance.fraction(), bytes: (length) => chance.bytes(length) },
      fetch: (input, init) => phone.network.request(isAlive, phoneRequestOf(input, init)),
      WebSocket: AppSocket,
      sha256: async (text) => new Uint8Array(createHash('sha256').update(text).digest()),
      wakeUps: () => () => undefined,
    };
  }

  end(): void {
    this.isAlive = false;
    for (const cancel of this.#timers) cancel();
  }
}

function phoneRequestOf(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): PhoneRequest {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  const headers = Object.fromEntries(new Headers(init?.headers));
  const body = typeof init?.body === 'string' ? init.body : undefined;
  return { method: init?.method === 'POST' ? 'POST' : 'GET', path: pathname + search, headers, body };
}
