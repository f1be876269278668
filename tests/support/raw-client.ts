import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The end of a connection for a client that sends HTTP by hand. */
export interface Ending {
  readonly answer: string;
  /** Whether the server closed its direction in order (FIN). */
  readonly isEnded: boolean;
  /** `ECONNRESET` or `EPIPE` where it did not. */
  readonly error: string | undefined;
}

export interface RawClient {
  readonly socket: Socket;
  readonly ending: Promise<Ending>;
  /** Resolves when the connection has taken the bytes, or has ended. */
  write(bytes: string | Uint8Array): Promise<void>;
}

/** A client whose own direction stays open until it ends it. */
export function connectRaw(url: string): RawClient {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let [answer, isEnded, error] = ['', false, undefined as string | undefined];
  socket.setEncoding('latin1');
  socket.on('data', (piece: string) => (answer += piece));
  socket.on('end', () => (isEnded = true));
  socket.on('error', (thrown: NodeJS.ErrnoException) => (error ??= thrown.code));
  const ending = new Promise<Ending>((resolve) => {
    socket.once('close', () => resolve({ answer, isEnded, error }));
  });
  const write = (bytes: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      socket.write(bytes, () => resolve());
    });
  return { socket, ending, write };
}

/** The lines of a request, and the part of its body that is sent before there is an answer. */
export interface EarlyAnswered {
  readonly lines: readonly string[];
  readonly first?: string | Uint8Array;
}

/** Sends a request, waits for its answer, then writes megabytes and ends. */
export async function writePastTheAnswer(url: string, { lines, first }: EarlyAnswered): Promise<Ending> {
  const client = connectRaw(url);
  const answered = once(client.socket, 'data');
  client.socket.write([...lines, '', ''].join('\r\n'));
  if (first !== undefined) client.socket.write(first);
  await Promise.race([answered, client.ending]);
  for (let megabyte = 0; megabyte < 6; megabyte++) await client.write(Buffer.alloc(1_000_000, 'x'));
  client.socket.end();
  return client.ending;
}
