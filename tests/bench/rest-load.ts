import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent, request } from 'node:http';

/** A request as bytes that are ready to go: making them is not what is measured. */
export interface Shot {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface Shots {
  /** The next request of connection `connection`, its `turn`th. */
  readonly next: (connection: number, turn: number) => Shot;
  /** Sent before each, and not counted. */
  readonly before?: (connection: number, turn: number) => Shot;
  readonly expect?: number;
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

export interface Answered {
  readonly count: number;
  readonly seconds: number;
  /** Milliseconds, one a request. */
  readonly latencies: number[];
  /** Of the bodies, as they came. */
  readonly bytes: number;
}

/** Keep-alive connections, each with one request in flight: the next goes when the last is answered. */
export async function fire(port: number, shots: Shots, { connections, seconds }: Load): Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  let bytes = 0;
  const start = performance.now();
  const until = start + seconds * 1000;
  const connection = async (n: number): Promise<void> => {
    for (let turn = 0; performance.now() < until; turn++) {
      if (shots.before) await send(port, agent, shots.before(n, turn), 200);
      const sentAt = performance.now();
      const { length } = await send(port, agent, shots.next(n, turn), shots.expect ?? 200);
      bytes += length;
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, n) => connection(n)));
  agent.destroy();
  return { count: latencies.length, seconds: (performance.now() - start) / 1000, latencies, bytes };
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

/** One request; resolves with what came, its bytes only where they are to be kept. */
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
