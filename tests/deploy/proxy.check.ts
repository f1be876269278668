import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { connectionsOfOne, listenOn, startNginx } from './nginx.ts';
import type { Proxy } from './nginx.ts';

let folder: string;
let servers: Server[];
let proxy: Proxy;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tailgate-upstream-'));
  const sockets: [string, string] = [join(folder, 'one.sock'), join(folder, 'two.sock')];
  servers = await Promise.all(sockets.map((socket) => listenOn(socket)));
  proxy = await startNginx(sockets);
});

afterAll(async () => {
  await proxy.stop();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true });
});

/** The handler of both servers for the next request. */
function answerOnce(answer: (request: IncomingMessage, response: ServerResponse) => void): void {
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    for (const server of servers) server.off('request', listener);
    answer(incoming, response);
  };
  for (const server of servers) server.on('request', listener);
}

const send = (method: string, headers: Record<string, string> = {}): ClientRequest =>
  request({ socketPath: proxy.socket, path: '/route', method, headers });

const responseTo = (sent: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });

async function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; body: string }> {
  const response = await responseTo(sent);
  return { status: response.statusCode, body: await text(response) };
}

test('the proxy passes the underscores of the drivers’ credentials', async () => {
  answerOnce((incoming, response) => response.end(JSON.stringify(incoming.headers)));
  const sent = send('GET', { employee_id: '1001', api_token: 'abc', 'x-forwarded-for': '203.0.113.9' });
  const { body } = await answerOf(sent.end());
  expect(JSON.parse(body)).toMatchObject({ employee_id: '1001', api_token: 'abc' });
  // The proxy drops the address that a phone claims.
  expect(body).not.toContain('203.0.113.9');
});

test('a body reaches the server while the phone still sends it', async () => {
  const arrived = new Promise<string>((resolve) => {
    answerOnce((incoming, response) => {
      incoming.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      incoming.on('end', () => response.end('whole'));
    });
  });
  const sent = send('PATCH', { 'content-type': 'application/offset+octet-stream' });
  sent.write('first chunk');
  expect(await arrived).toBe('first chunk');
  expect(await answerOf(sent.end('last chunk'))).toEqual({ status: 200, body: 'whole' });
});

test('the proxy passes a large photo, and the server refuses it', async () => {
  answerOnce((incoming, response) => {
    incoming.resume().on('end', () => response.end('taken'));
  });
  const sent = send('POST').end(Buffer.alloc(30 * 1024 * 1024));
  expect(await answerOf(sent)).toEqual({ status: 200, body: 'taken' });
});

test('the proxy streams an answer while it is written', async () => {
  let rest = (): void => {};
  answerOnce((_, response) => {
    response.write('early');
    rest = () => response.end(' late');
  });
  const response = (await responseTo(send('GET').end())).setEncoding('utf8');
  const chunks: string[] = [];
  for await (const chunk of response) {
    // The server writes the second half only after the first half has come through.
    if (chunks.push(String(chunk)) === 1) rest();
  }
  expect(chunks).toEqual(['early', ' late']);
});

test('a socket upgrades and carries frames both ways', async () => {
  const sockets = servers.map((server) => new WebSocketServer({ server, path: '/api/sync' }));
  for (const each of sockets) each.on('connection', (peer) => peer.on('message', (frame) => peer.send(frame)));
  const client = new WebSocket(`ws+unix://${proxy.socket}:/api/sync`);
  await once(client, 'open');
  const echoed = new Promise((resolve) => {
    client.once('message', resolve);
  });
  client.send('hello');
  expect(await echoed).toEqual(Buffer.from('hello'));
  client.close();
  await once(client, 'close');
  for (const each of sockets) each.close();
});

test('the proxy refuses the connections of an address above its limit, with a time to retry', async () => {
  const sockets = servers.map((server) => new WebSocketServer({ server, path: '/api/sync' }));
  const clients = Array.from({ length: connectionsOfOne }, () => new WebSocket(`ws+unix://${proxy.socket}:/api/sync`));
  await Promise.all(clients.map((client) => once(client, 'open')));

  const refused = await responseTo(send('GET').end());
  expect(refused).toMatchObject({
    statusCode: 429,
    headers: { 'content-type': 'application/json', 'retry-after': '2' },
  });
  const refusal: unknown = JSON.parse(await text(refused));
  const request_id: unknown = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(refusal).toMatchObject({
    success: false,
    data: null,
    error: { code: 'RATE_LIMITED', details: [], request_id },
  });

  for (const client of clients) client.close();
  await Promise.all(clients.map((client) => once(client, 'close')));
  const passes = async (): Promise<unknown> => {
    answerOnce((_, response) => response.end('passed'));
    return (await answerOf(send('GET').end())).body;
  };
  await expect.poll(passes).toBe('passed');
  for (const each of sockets) each.close();
});

test('one server down: the other answers', async () => {
  const [first] = servers;
  first?.closeAllConnections();
  first?.close();
  for (const attempt of [1, 2, 3, 4]) {
    answerOnce((_, response) => response.end(`answer ${attempt}`));
    expect(await answerOf(send('GET').end())).toEqual({ status: 200, body: `answer ${attempt}` });
  }
});
