import type { Environment, Row, Store, Table } from '@tailgate/client-sdk';

/** One run of an app that may be killed: all of its platform, and its end. */
export interface AppLife {
  readonly environment: Environment;
  readonly isOver: () => boolean;
  /** Kills the app as the system does: nothing is finished or written. The network breaks from outside. */
  end(): void;
}

/** The test's hooks between an app and its network. */
export interface LifeHooks {
  /** Called with each frame just before the app hands it to the network. */
  onSend(frame: string): void;
  /** Each request over HTTP waits for this. */
  onFetch(url: string): Promise<void>;
}

const noHooks: LifeHooks = { onSend: () => undefined, onFetch: () => Promise.resolve() };

/** @param shift how far the clocks of the phone are ahead: all of them, and the wall clock alone */
export function beginLife(
  shift: { readonly ms: number; readonly turnedMs: number } = { ms: 0, turnedMs: 0 },
  hooks: LifeHooks = noHooks,
): AppLife {
  const timers = new Set<NodeJS.Timeout>();
  const ending = new AbortController();
  const isOver = (): boolean => ending.signal.aborted;
  /** Sends and receives only while the app runs; the network itself breaks from outside. */
  class AppSocket extends WebSocket {
    override send(data: string): void {
      if (isOver()) return;
      hooks.onSend(data);
      super.send(data);
    }
    override addEventListener(type: string, listener: (event: Event) => void): void {
      super.addEventListener(type, listener, { signal: ending.signal });
    }
  }
  return {
    isOver,
    end: () => {
      ending.abort();
      for (const timer of timers) clearTimeout(timer);
    },
    environment: {
      clock: {
        now: () => Date.now() + shift.ms + shift.turnedMs,
        monotonic: () => performance.now() + shift.ms,
        after: (ms, work) => {
          if (isOver()) return () => undefined;
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

/** The disk of one run of the app: requests of a dead app are dropped. */
export function mortal(disk: Store, { isOver }: AppLife): Store {
  const whileAlive = <Value>(work: () => Promise<Value>): Promise<Value> => (isOver() ? new Promise(() => {}) : work());
  return {
    readAll: (table: Table): Promise<Row[]> => whileAlive(() => disk.readAll(table)),
    write: (changes, durability) => whileAlive(() => disk.write(changes, durability)),
    close: () => Promise.resolve(),
  };
}
