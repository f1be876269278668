import type { ClientFrame, ServerFrameInput } from '@tailgate/sync-protocol';
import type { Answer } from './scripted-auth.ts';

/** A request, whatever brought it. */
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
  /** As a tunnel does. */
  cut(): void;
}

/** What the server is told of a socket. */
export interface Hearing {
  readonly hear: (text: string) => void;
  readonly closed: () => void;
}

/** What a transport needs of the server: the one of the page, and the one on loopback. */
export interface ScriptedDesk {
  /** A socket was opened. It may be cut at once. */
  connect(wire: Wire): Hearing;
  /** Undefined where the request is cut off unanswered. @param cut ends it while its answer waits */
  answer(request: ScriptedRequest, cut: () => void): Promise<Answer | undefined>;
}

/** A server that listens on a port of its machine. */
export interface Listening {
  readonly url: string;
  stop(): Promise<void>;
}

export type Hello = Extract<ClientFrame, { type: 'hello' }>;

/** Somebody who follows scopes: over a socket, or for the length of one look over plain HTTP. */
export interface Follower {
  readonly hello: Hello | undefined;
  readonly follows: Map<string, number>;
  readonly tell: (frame: ServerFrameInput) => void;
}

export interface Link extends Follower {
  readonly wire: Wire;
  hello: Hello | undefined;
}

/** What a scripted server starts with. */
export interface ScriptedOptions {
  readonly stops?: readonly number[];
  readonly drivers?: readonly string[];
  readonly lines?: number;
  /** Send whole scopes by the `snapshot` frame and HTTP, as a server does for large ones. */
  readonly snapshots?: boolean;
  readonly pushesInFlight?: number;
  readonly mutationsPerPush?: number;
}
