import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';

/** The parts of an answer that a load needs. */
export interface Status {
  readonly status: number;
  /** Bytes of the body, as received. */
  readonly length: number;
}

/**
 * A keep-alive connection for one request after the other, with minimal CPU. It sends prepared bytes and reads status
 * and `Content-Length` (RFC 9112 §6.2), no other header and no body. The load shares its cores with the measured
 * server, so its own CPU reduces every rate.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #head = '';
  /** Rest of the current body; undefined while the head is incomplete. */
  #remaining: number | undefined;
  #answer: Status = { status: 0, length: 0 };
  #waiting: PromiseWithResolvers<Status> | undefined;

  private constructor(port: number) {
    this.#socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(readBytes),
        callback: (count, buffer) => {
          this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, count));
          return true;
        },
      },
    });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<HttpConnection> {
    const connection = new HttpConnection(port);
    await once(connection.#socket, 'connect');
    return connection;
  }

  /** Sends a complete request, except HEAD. Resolves at the last byte of the answer. */
  exchange(request: Buffer): Promise<Status> {
    this.#waiting = Promise.withResolvers();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#remaining !== undefined) return this.#readBody(bytes.length);
    // One character for each byte, so that the bytes after the head count as body.
    this.#head += bytes.toString('latin1');
    const end = this.#head.indexOf(headEnd);
    if (end < 0) return;
    const status = Number(this.#head.slice(9, 12));
    const header = /\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1];
    if (header === undefined && status !== 304) return this.#fail(new Error('an answer has no Content-Length'));
    // A 304 may contain the length of the body that it omits (RFC 9110 §8.6).
    const length = status === 304 ? 0 : Number(header);
    this.#answer = { status, length };
    this.#remaining = length;
    const begun = this.#head.length - end - headEnd.length;
    this.#head = '';
    this.#readBody(begun);
  }

  #readBody(count: number): void {
    this.#remaining = (this.#remaining ?? 0) - count;
    if (this.#remaining > 0) return;
    this.#remaining = undefined;
    this.#waiting?.resolve(this.#answer);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
  }
}

const headEnd = '\r\n\r\n';
const readBytes = 64 * 1024;
