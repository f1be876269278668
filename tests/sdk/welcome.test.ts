import { expect, test } from 'vitest';
import type { Socket } from '@tailgate/client-sdk';
import { sampleKey, sampleScope } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });

/** Sockets that deliver no message before `opened` resolves. They send at once. */
function slowDown(opened: Promise<void>): new (url: string) => Socket {
  return class implements Socket {
    readonly #socket: WebSocket;
    constructor(url: string) {
      this.#socket = new WebSocket(url);
    }
    send(text: string): void {
      this.#socket.send(text);
    }
    close(code?: number): void {
      this.#socket.close(code);
    }
    addEventListener(type: string, listener: (event: Event) => void): void {
      const late = (event: Event): void => void opened.then(() => listener(event));
      this.#socket.addEventListener(type, type === 'message' ? late : listener);
    }
  };
}

test('the client requests a route though a change of it was recorded between the hello and the welcome', async () => {
  const server = await startScriptedServer();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const client = await new Device(server.url, { WebSocket: slowDown(opened) }).startSignedIn();
  await server.until(() => server.heard.some((frame) => frame.type === 'hello'));
  const receipt = client.updateStop(sampleKey, comment(1, 'before the welcome'));
  open();
  await until(client.stop(1, sampleKey), (stop) => stop?.updates.driver_comments === 'before the welcome');
  const asked = server.heard.flatMap((frame) => (frame.type === 'subscribe' ? Object.keys(frame.cursors) : []));
  expect(asked).toEqual([sampleScope]);
  await receipt.accepted;
  server.host();
  await receipt.onHost;
});

test('a welcome after which a channel has no work ends only this channel', async () => {
  const server = await startScriptedServer();
  const client = await new Device(server.url).startSignedIn('1001');
  await until(client.route(), (route) => route !== undefined);
  await client.updateStop(sampleKey, comment(1, 'of the first driver')).accepted;
  await client.signOut();
  await client.signIn({ employeeId: '1002', password: 'secret-of-driver' });
  await until(client.status, (status) => status.connection === 'online');
  // The server was restored: the first driver's queue asks, by its key, for missing changes.
  const heard = server.heard.length;
  const helloes = (): string[] =>
    server.heard.slice(heard).flatMap((frame) => (frame.type === 'hello' ? frame.employee_id : []));
  server.ledger.epoch++;
  server.cut();
  await server.until(() => helloes().includes('1001'));
  await client.updateStop(sampleKey, comment(2, 'of the second driver')).accepted;
  expect(helloes()).toEqual(['1002', '1001']);
});
