import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request as requestTo } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { atFileEnd } from '../file-end.ts';

/** A request byte for byte: nothing is encoded, added or corrected. */
export interface WireRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends HTTP to a server on loopback over connections that it keeps open. It ends with the test file. */
export class Wire {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
    atFileEnd(async () => this.#agent.destroy());
  }

  send({ method, path, headers, body }: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(body.length) };
      const options = { host: '127.0.0.1', port: this.#port, agent: this.#agent, method, path };
      const outgoing = requestTo({ ...options, headers: { ...length, ...headers } }, (incoming) => {
        const { statusCode = 0, headers: received } = incoming;
        buffer(incoming)
          .then((bytes) => unpacked(bytes, received['content-encoding']))
          .then((answer) => resolve({ status: statusCode, headers: received, body: answer }))
          .catch(reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** Sends these bytes and nothing more. @returns the server's whole answer, until it closes */
  speak(bytes: Uint8Array): Promise<Buffer> {
    const socket = connect(this.#port, '127.0.0.1');
    socket.end(bytes);
    return buffer(socket);
  }
}

function unpacked(bytes: Buffer, coding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes; // to HEAD, or a 304
  if (coding === 'br') return brotliDecompressSync(bytes);
  return coding === 'gzip' ? gunzipSync(bytes) : bytes;
}

/** The request as bytes, on a connection of its own. */
export function bytesOf({ method, path, headers, body }: WireRequest): Buffer {
  const lines = Object.entries({
    host: 'localhost',
    connection: 'close',
    ...(body && { 'content-length': String(body.length) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return body ? Buffer.concat([head, body]) : head;
}
