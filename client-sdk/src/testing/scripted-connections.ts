import type { ClientFrame, FeedDocument, ServerFrameInput } from '@tailgate/sync-protocol';
import type { Answer } from './scripted-auth.ts';

/** A request of any transport. */
export interface ScriptedRequest {
  readonly method: string;
  readonly url: URL;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The server's end of a socket. */
export interface Wire {
  send(text: string): void;
  close(code: number): void;
  /** Without a close frame, as in a tunnel. */
  cut(): void;
}

/** The events of a socket. */
export interface Hearing {
  readonly hear: (text: string) => void;
  readonly closed: () => void;
}

/** The server's functions for its transports: in the same page, and on loopback. */
export interface ScriptedDesk {
  /** A socket was opened. The server may cut it at once. */
  connect(wire: Wire): Hearing;
  /** Undefined where the request is cut off without an answer. @param cut ends the request while its answer waits */
  answer(request: ScriptedRequest, cut: () => void): Promise<Answer | undefined>;
}

/** A server that listens on a port of its machine. */
export interface Listening {
  readonly url: string;
  stop(): Promise<void>;
}

export type Hello = Extract<ClientFrame, { type: 'hello' }>;

/** A client that follows scopes: over a socket, or for one poll over plain HTTP. */
export interface Follower {
  readonly hello: Hello | undefined;
  readonly follows: Map<string, number>;
  readonly send: (frame: ServerFrameInput) => void;
}

export interface Link extends Follower {
  readonly wire: Wire;
  hello: Hello | undefined;
}

/** The options of a scripted server. */
export interface ScriptedOptions {
  readonly stops?: readonly number[];
  readonly drivers?: readonly string[];
  readonly lines?: number;
  /** Sends whole scopes by the `snapshot` frame and HTTP, as a server does for large ones. */
  readonly snapshots?: boolean;
  readonly pushesInFlight?: number;
  readonly mutationsPerPush?: number;
  /** A route of your own instead of `stops`, `drivers` and `lines`: the result of `routeDocuments`. */
  readonly documents?: readonly FeedDocument[];
  /** The host confirms each change after this time; ms. Default: only `host` confirms. */
  readonly hostDelayMs?: number;
  /** The time from the arrival at the warehouse until the office closes the route; ms. Default: it never does. */
  readonly closeDelayMs?: number;
}
