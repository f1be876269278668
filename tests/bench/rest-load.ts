import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent, request } from 'node:http';
import { HttpConnection } from './http-connection.ts';

/** A request. Its preparation is not measured. */
export interface Shot {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A request as bytes for the wire. */
export interface PreparedShot {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Shots {
  /** The next request of connection `connection`, its `turn`th. It is prepared, because the clock runs. */
  readonly next: (connection: number, turn: number) => PreparedShot;
  /** Requests before each measured one, which do not count. */
  readonly before?: (connection: number, turn: number) => PreparedShot;
  readonly expect?: number;
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

export interface Answered {
  readonly count: number;
  readonly seconds: number;
  /** Milliseconds for each request. */
  readonly latencies: number[];
  /** Bytes of the bodies, as received. */
  readonly bytes: number;
}

/** Keep-alive connections with one request in flight each. The next one follows the answer. */
export async function fire(port: number, shots: Shots, { connections, seconds }: Load): Promise<Answered> {
  const lines = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(port)));
  const latencies: number[] = [];
  let bytes = 0;
  const start = performance.now();
  const until = start + seconds * 1000;
  const keepAsking = async (line: HttpConnection, n: number): Promise<void> => {
    for (let turn = 0; performance.now() < until; turn++) {
      if (shots.before) await hit(line, shots.before(n, turn), 200);
      const sentAt = performance.now();
      const length = await hit(line, shots.next(n, turn), shots.expect ?? 200);
      bytes += length;
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(lines.map(keepAsking));
  const took = performance.now() - start;
  for (const line of lines) line.close();
  return { count: latencies.length, seconds: took / 1000, latencies, bytes };
}

async function hit(line: HttpConnection, { name, bytes }: PreparedShot, expect: number): Promise<number> {
  const { status, length } = await line.exchange(bytes);
  if (status !== expect) throw new Error(`${name} was answered ${status}`);
  return length;
}

export function prepare({ method, path, headers, body }: Shot): PreparedShot {
  const fields = { host: '127.0.0.1', ...headers, ...(body && { 'content-length': String(body.length) }) };
  const lines = Object.entries(fields).map(([field, value]) => `${field}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return { name: `${method} ${path}`, bytes: body ? Buffer.concat([head, body]) : head };
}

/** One request alone, with its answer as text. */
export async function ask(port: number, shot: Shot, expect = 200): Promise<{ text: string; etag: string }> {
  const agent = new Agent();
  const { head, chunks } = await send(port, agent, shot, expect, true);
  agent.destroy();
  return { text: Buffer.concat(chunks).toString(), etag: head.headers.etag ?? '' };
}

interface Received {
  readonly head: IncomingMessage;
  readonly length: number;
  readonly chunks: Buffer[];
}

/** One request. Resolves with the answer, and with its bytes only on demand. */
export function send(port: number, agent: Agent, shot: Shot, expect: number, keep = false): Promise<Received> {
  const { method, path, headers, body } = shot;
  const options: RequestOptions = {
    host: '127.0.0.1',
    port,
    agent,
    method,
    path,
    headers: body ? { ...headers, 'content-length': body.length } : headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(options, (head) => {
      let length = 0;
      const chunks: Buffer[] = [];
      head.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (keep) chunks.push(chunk);
      });
      head.once('end', () => {
        if (head.statusCode === expect) resolve({ head, length, chunks });
        else reject(new Error(`${method} ${path} was answered ${head.statusCode}`));
      });
      head.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
