import { sampleKey } from '@tailgate/client-sdk/testing';
import type { Page } from 'playwright-core';
import * as z from 'zod/mini';
import { servePage, startBrowser, untilReady } from '../support/browser.ts';
import { endFile } from '../support/file-end.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import type { Report } from './report.ts';

const stops = 150;
const lines = 20;

// Code in the page. Times are in ms.
const script = `
import { createClient, openIndexedDb, tables } from '@tailgate/client-sdk';

const key = ${JSON.stringify(sampleKey)};
const open = async () => createClient({ url: location.origin, store: await openIndexedDb() });
const until = (watch, isSo) => new Promise((resolve) => {
  const check = () => { if (isSo(watch.current)) resolve(watch.current); };
  watch.subscribe(check);
  check();
});
const update = (client, n) =>
  client.updateStop(key, { id: (n % ${stops}) + 1, updates: { driver_comments: 'note ' + n } });
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** From a closed client to the visible route. */
async function boot(rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const client = await open();
    const route = client.route(key).current;
    if (route.stops.length !== ${stops}) throw new Error('the route is not there');
    times.push(performance.now() - began);
    await client.close();
  }
  return median(times);
}

/** Reads the same rows without further work: the platform's own time. */
async function readRows(rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const store = await openIndexedDb();
    await Promise.all(tables.map((table) => store.readAll(table)));
    times.push(performance.now() - began);
    await store.close();
  }
  return median(times);
}

globalThis.measure = async (rounds, pending) => {
  const first = await open();
  await first.signIn({ employeeId: '1001', password: 'secret-of-driver' });
  await until(first.route(key), (route) => route !== undefined);
  await first.close();
  await globalThis.loseNetwork();
  const empty = { boot: await boot(rounds), rows: await readRows(rounds) };
  const recorder = await open();
  let last;
  for (let n = 0; n < pending; n++) last = update(recorder, n);
  await last.saved;
  await recorder.close();
  const full = { boot: await boot(rounds), rows: await readRows(rounds) };
  const client = await open();
  const shown = [], saved = [];
  for (let n = 0; n < 20; n++) {
    const began = performance.now();
    const receipt = update(client, n);
    shown.push(performance.now() - began);
    await receipt.saved;
    saved.push(performance.now() - began);
  }
  await client.close();
  return { empty, full, shown: median(shown), saved: median(saved) };
};

/** Sends everything to the server. */
globalThis.drain = async () => {
  const client = await open();
  client.route(key).subscribe(() => {});
  await until(client.status, ({ pending }) => Object.keys(pending).length === 0);
  await client.close();
};
globalThis.ready = true;
`;

const ms = z.number();
const measured = z.object({
  empty: z.object({ boot: ms, rows: ms }),
  full: z.object({ boot: ms, rows: ms }),
  shown: ms,
  saved: ms,
});

interface DeviceOptions {
  readonly rounds: number;
  /** Changes that wait on the phone. */
  readonly mutations?: number;
}

/** CPU time of the page's main thread for the step; ms. */
async function mainThreadMs(page: Page, work: string): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const read = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? NaN) * 1_000;
  };
  const before = await read();
  await page.evaluate(work);
  return (await read()) - before;
}

/** The time that a driver waits for the app itself, in real Chromium on its IndexedDB, without a network. */
export async function device({ rounds, mutations: pending = 10_000 }: DeviceOptions): Promise<Report> {
  try {
    const numbers = Array.from({ length: stops }, (_, n) => n + 1);
    const server = await startScriptedServer({ stops: numbers, lines });
    const page = await (await startBrowser()).newPage();
    await page.exposeFunction('loseNetwork', () => {
      server.refuse = true;
      server.cut();
    });
    await page.goto(await servePage(script, server.url));
    await untilReady(page);
    const { empty, full, shown, saved } = measured.parse(
      await page.evaluate(`globalThis.measure(${rounds}, ${pending})`),
    );
    server.refuse = false;
    const drained = await mainThreadMs(page, 'globalThis.drain()');
    const figure = (what: string, time: number, target: string, rows: number | string = '') => ({
      what,
      ms: Number(time.toFixed(1)),
      target,
      'rows alone, ms': typeof rows === 'number' ? Number(rows.toFixed(1)) : rows,
    });
    return {
      title: `A phone's own work: ${stops} stops of ${lines} products, Chromium, IndexedDB, median of ${rounds}`,
      figures: [
        figure('open, nothing pending', empty.boot, '< 100', empty.rows),
        figure(`open, ${pending} pending`, full.boot, '≤ 500', full.rows),
        figure(`one more, shown`, shown, ''),
        figure(`one more, saved (strict)`, saved, '≤ 10'),
        figure(`opening and draining them, CPU of the main thread`, drained, ''),
      ],
      ratios: {
        'open beside the rows alone': empty.boot / empty.rows,
        [`open with ${pending} pending beside the rows alone`]: full.boot / full.rows,
      },
    };
  } finally {
    await endFile(false);
  }
}
