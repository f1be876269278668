import type { Environment, Row, Store, Table } from '@tailgate/client-sdk';

/** One run of an app that may be killed: all of its platform, and its end. */
export interface AppRun {
  readonly environment: Environment;
  readonly isKilled: () => boolean;
  /** Kills the app as the system does: nothing is finished or written. The network breaks from outside. */
  end(): void;
}

/** The test's hooks between an app and its network. */
export interface NetworkHooks {
  /** Called with each frame just before the app sends it. */
  onSend(frame: string): void;
  /** Each request over HTTP waits for this. */
  onFetch(url: string): Promise<void>;
}

const noHooks: NetworkHooks = { onSend: () => undefined, onFetch: () => Promise.resolve() };

/** @param shift how far the clocks of the phone are ahead: all of them, and the wall clock alone */
export function startAppRun(
  shift: { readonly ms: number; readonly wallMs: number } = { ms: 0, wallMs: 0 },
  hooks: NetworkHooks = noHooks,
): AppRun {
  const timers = new Set<NodeJS.Timeout>();
  const ending = new AbortController();
  const isKilled = (): boolean => ending.signal.aborted;
  /** Sends and receives only while the app runs; the network itself breaks from outside. */
  class AppSocket extends WebSocket {
    override send(data: string): void {
      if (isKilled()) return;
      hooks.onSend(data);
      super.send(data);
    }
    override addEventListener(type: string, listener: (event: Event) => void): void {
      super.addEventListener(type, listener, { signal: ending.signal });
    }
  }
  return {
    isKilled,
    end: () => {
      ending.abort();
      for (const timer of timers) clearTimeout(timer);
    },
    environment: {
      clock: {
        now: () => Date.now() + shift.ms + shift.wallMs,
        monotonic: () => performance.now() + shift.ms,
        after: (ms, work) => {
          if (isKilled()) return () => undefined;
          const timer = setTimeout(() => {
            timers.delete(timer);
            work();
          }, ms);
          timers.add(timer);
          return () => clearTimeout(timer);
        },
      },
      random: { fraction: () => Math.random(), bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
      fetch: async (input, init) => {
        await hooks.onFetch(input instanceof Request ? input.url : String(input));
        const signal = init?.signal ? AbortSignal.any([init.signal, ending.signal]) : ending.signal;
        return fetch(input, { ...init, signal });
      },
      WebSocket: AppSocket,
      sha256: async (text) => new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))),
      wakeUps: () => () => undefined,
    },
  };
}

/** The disk of one run of the app: requests of an ended app are dropped. */
export function storeOfRun(disk: Store, { isKilled }: AppRun): Store {
  const whileAlive = <Value>(work: () => Promise<Value>): Promise<Value> =>
    isKilled() ? new Promise(() => {}) : work();
  return {
    readAll: (table: Table): Promise<Row[]> => whileAlive(() => disk.readAll(table)),
    write: (changes, durability) => whileAlive(() => disk.write(changes, durability)),
    close: () => Promise.resolve(),
  };
}
