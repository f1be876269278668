import { beforeAll, describe, expect, test } from 'vitest';
import { startListener, type Listener, type ListenOptions } from '../../server/src/db/listen.ts';
import { atFileEnd } from '../support/file-end.ts';
import { startDeafPooler } from '../support/deaf-pooler.ts';
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

/** What arrives on a channel, one after the other. */
async function heard(listener: Listener, channel: string): Promise<{ next(): Promise<string> }> {
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
  test('brings each notification to the handlers of its channel only', async () => {
    const listener = await listen();
    const routes = await heard(listener, 'tailgate_routes');
    const oddName = await heard(listener, 'Odd "name"');
    await notify('tailgate_routes', 'F01/R100');
    await notify('Odd "name"', 'x');
    await notify('tailgate_routes', '*');
    expect([await routes.next(), await routes.next(), await oddName.next()]).toEqual(['F01/R100', '*', 'x']);
  });

  test('a handler that throws takes nothing from the others', async () => {
    const log = recordedLog();
    const listener = await listen({ log });
    await listener.onNotify('bell', () => {
      throw new Error('deaf');
    });
    const bell = await heard(listener, 'bell');
    await notify('bell', 'ring');
    expect(await bell.next()).toBe('ring');
    expect(log.lines).toMatchObject([{ level: 'error', message: 'a handler of a database notification failed' }]);
  });

  test('comes back after the link is cut, hears again, and says that something may have been missed', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const listener = await listen({ url: proxy.through(database.url), random: () => 0 });
    const bell = await heard(listener, 'bell');
    const back = reconnected(listener);
    proxy.refuse();
    proxy.cut();
    await notify('bell', 'missed');
    const late = heard(listener, 'added while away');
    await proxy.accept();
    await back;
    await notify('bell', 'heard');
    await notify('added while away', 'too');
    expect(await bell.next()).toBe('heard');
    expect(await (await late).next()).toBe('too');
  });

  test('a link that stays open and carries nothing counts as broken', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const log = recordedLog();
    const listener = await listen({ url: proxy.through(database.url), log, probeEveryMs: 20, answerTimeoutMs: 1_000 });
    const bell = await heard(listener, 'bell');
    const back = reconnected(listener);
    proxy.drop();
    await expect.poll(() => log.lines.map(({ message }) => message)).toContain('the LISTEN session broke');
    proxy.pass();
    await back;
    await notify('bell', 'heard');
    expect(await bell.next()).toBe('heard');
  });

  test('does not start where notifications would never arrive, and says which setting to change', async () => {
    const url = new URL(database.url);
    url.port = String(await startDeafPooler(Number(url.port)));
    await expect(listen({ url: url.href, answerTimeoutMs: 1_000 })).rejects.toThrow(
      'DATABASE_LISTEN_URL: notifications do not arrive; point it straight at PostgreSQL, not at a transaction pooler',
    );
  });

  test('stops at once, also while it waits to come back', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const log = recordedLog();
    const listener = await listen({ url: proxy.through(database.url), log, random: () => 1 });
    proxy.refuse();
    proxy.cut();
    await expect.poll(() => log.lines.map(({ message }) => message)).toContain('the LISTEN session broke');
    await listener.stop();
  });
});
