/** The clocks of the device. */
export interface Clock {
  /** Milliseconds since 1970; may be wrong, and may jump. */
  now(): number;
  /** Milliseconds since some moment of this boot; never jumps. */
  monotonic(): number;
  /** Runs `work` once after `ms` milliseconds; returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

/** The source of ids and of jitter. */
export interface Randomness {
  /** From 0 to below 1. */
  fraction(): number;
  bytes(length: number): Uint8Array;
}

/** An event of a socket; some platforms have no type `Event`. `data` belongs to messages. */
export interface SocketEvent {
  readonly type: string;
  readonly data?: unknown;
}

/** The part of the WebSocket interface that the SDK uses; browsers, Node 22 and the package `ws` have it. */
export interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: SocketEvent) => void): void;
}

/** Everything that the SDK takes from its platform. Each member can be replaced. */
export interface Environment {
  readonly clock: Clock;
  readonly random: Randomness;
  readonly fetch: typeof globalThis.fetch;
  readonly WebSocket: new (url: string) => Socket;
  readonly sha256: (text: string) => Promise<Uint8Array>;
  /** Calls the listener when the network or the driver may be back: a hint only. Returns a function that stops it. */
  readonly wakeUps: (listener: () => void) => () => void;
}

export const platform: Environment = {
  clock: {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: (ms, work) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
  },
  random: {
    fraction: () => Math.random(),
    bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  },
  fetch: (input, init) => fetch(input, init),
  get WebSocket() {
    return globalThis.WebSocket;
  },
  sha256: async (text) => new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))),
  wakeUps: (listener) => {
    const visible = (): void => {
      if (document.visibilityState === 'visible') listener();
    };
    const controller = new AbortController();
    const { signal } = controller;
    globalThis.addEventListener?.('online', listener, { signal });
    globalThis.document?.addEventListener('visibilitychange', visible, { signal });
    return () => controller.abort();
  },
};

/** A UUID of version 7 (RFC 9562): the time of its creation, which sorts the ids of one device, and 72 random bits. */
export function newId({ clock, random }: Pick<Environment, 'clock' | 'random'>): string {
  const time = Math.floor(clock.now()).toString(16).padStart(12, '0');
  const noise = Array.from(random.bytes(10), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return (time + noise).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-7$3-8$4-');
}

/** Base64 of RFC 4648, section 5, without padding. */
export function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
