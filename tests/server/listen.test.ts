import { beforeAll, describe, expect, test } from 'vitest';
import { startListener, type Listener, type ListenOptions } from '../../server/src/db/listen.ts';
import { atFileEnd } from '../support/file-end.ts';
import { startPoolerWithoutNotifications } from '../support/pooler-without-notifications.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase({ empty: true });
});

async function listen(options: Partial<ListenOptions> = {}): Promise<Listener> {
  const listener = await startListener({ url: database.url, log: recordedLog(), ...options });
  atFileEnd(() => listener.stop());
  return listener;
}

async function notify(channel: string, payload: string): Promise<void> {
  await database.pool.query('select pg_notify($1, $2)', [channel, payload]);
}

/** The notifications of a channel, in order. */
async function subscribe(listener: Listener, channel: string): Promise<{ next(): Promise<string> }> {
  const arrived: string[] = [];
  const waiting: ((payload: string) => void)[] = [];
  await listener.onNotify(channel, (payload) => {
    const waiter = waiting.shift();
    if (waiter) waiter(payload);
    else arrived.push(payload);
  });
  return {
    next: () => {
      const payload = arrived.shift();
      return payload === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(payload);
    },
  };
}

function reconnected(listener: Listener): Promise<void> {
  return new Promise((resolve) => listener.onReconnect(resolve));
}

describe('a LISTEN session', () => {
  test('passes each notification to the handlers of its channel only', async () => {
    const listener = await listen();
    const routes = await subscribe(listener, 'tailgate_routes');
    const oddName = await subscribe(listener, 'Odd "name"');
    await notify('tailgate_routes', 'F01/R100');
    await notify('Odd "name"', 'x');
    await notify('tailgate_routes', '*');
    expect([await routes.next(), await routes.next(), await oddName.next()]).toEqual(['F01/R100', '*', 'x']);
  });

  test('calls the other handlers after one throws', async () => {
    const log = recordedLog();
    const listener = await listen({ log });
    await listener.onNotify('bell', () => {
      throw new Error('deaf');
    });
    const bell = await subscribe(listener, 'bell');
    await notify('bell', 'ring');
    expect(await bell.next()).toBe('ring');
    expect(log.lines).toMatchObject([{ level: 'error', message: 'a handler of a database notification failed' }]);
  });

  test('reconnects after the link is cut, receives again, and reports a possible gap', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const listener = await listen({ url: proxy.through(database.url), random: () => 0 });
    const bell = await subscribe(listener, 'bell');
    const back = reconnected(listener);
    proxy.refuse();
    proxy.cut();
    await notify('bell', 'missed');
    const late = subscribe(listener, 'added while away');
    await proxy.accept();
    await back;
    await notify('bell', 'received');
    await notify('added while away', 'too');
    expect(await bell.next()).toBe('received');
    expect(await (await late).next()).toBe('too');
  });

  test('replaces an open link that carries nothing', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const log = recordedLog();
    const listener = await listen({ url: proxy.through(database.url), log, probeEveryMs: 20, answerTimeoutMs: 1_000 });
    const bell = await subscribe(listener, 'bell');
    const back = reconnected(listener);
    proxy.drop();
    await expect.poll(() => log.lines.map(({ message }) => message)).toContain('the LISTEN session broke');
    proxy.pass();
    await back;
    await notify('bell', 'received');
    expect(await bell.next()).toBe('received');
  });

  test('does not start where notifications would never arrive, and names the setting to change', async () => {
    const url = new URL(database.url);
    url.port = String(await startPoolerWithoutNotifications(Number(url.port)));
    await expect(listen({ url: url.href, answerTimeoutMs: 1_000 })).rejects.toThrow(
      'DATABASE_LISTEN_URL: notifications do not arrive; point it straight at PostgreSQL, not at a transaction pooler',
    );
  });

  test('stops immediately, also while it waits to reconnect', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const log = recordedLog();
    const listener = await listen({ url: proxy.through(database.url), log, random: () => 1 });
    proxy.refuse();
    proxy.cut();
    await expect.poll(() => log.lines.map(({ message }) => message)).toContain('the LISTEN session broke');
    await listener.stop();
  });
});
