import { join } from 'node:path';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import * as z from 'zod/mini';
import { buildPage, sum } from '../../server/web/build/build-page.ts';
import { web } from '../../server/web/build/sources.ts';
import { startBrowser } from '../support/browser.ts';
import { endFile } from '../support/file-end.ts';
import { servePages } from '../support/page-server.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WebProxy } from '../support/web-proxy.ts';
import { median, quantile } from './fixture.ts';
import type { Figure, Report } from './report.ts';

const stops = 150;
const lines = 20;
/** Cold starts in a round, and delivered stops in the end. */
const startsPerRound = 5;
const tappedStops = 15;
/** A phone of a few years ago beside this machine. */
const throttling = 4;
const frameMs = 1_000 / 60;

const runtimes = ['preact', 'react'] as const;

interface Times {
  readonly open: number[];
  readonly deliver: number[];
}

/** The app of one runtime on a phone that has its route. */
interface Phone {
  readonly runtime: (typeof runtimes)[number];
  readonly firstLoad: number;
  readonly address: string;
  readonly context: BrowserContext;
}

/** The driver app with a long route, in real Chromium: built with Preact and with React, one after the other in turn. */
export async function app({ rounds }: { readonly rounds: number }): Promise<Report> {
  try {
    const server = await startScriptedServer({ stops: Array.from({ length: stops }, (_, n) => n + 1), lines });
    const browser = await startBrowser();
    const phones: Phone[] = [];
    for (const runtime of runtimes) {
      const folder = join(await temporaryFolder(), 'app');
      const source = join(web, 'driver');
      const { firstLoad } = await buildPage({ source, folder, runtime, development: false, firstLoadLimit: 1_000_000 });
      const proxy = await WebProxy.start(server.url, { pages: await servePages(folder) });
      const context = await browser.newContext({
        viewport: { width: 360, height: 640 },
        deviceScaleFactor: 2,
        hasTouch: true,
        isMobile: true,
      });
      await context.addInitScript(watchPaints);
      const phone = { runtime, firstLoad: sum(firstLoad), address: `${proxy.url}/app/`, context };
      await install(phone);
      phones.push(phone);
    }
    const starts = phones.map((): number[] => []);
    for (let round = 0; round < rounds * startsPerRound; round++)
      for (const [i, phone] of phones.entries()) starts[i]?.push(await startCold(phone));
    const figures: Figure[] = [];
    for (const [i, phone] of phones.entries()) {
      const { times, heap } = await tapThrough(phone);
      const rest = { 'first load, kB': phone.firstLoad / 1_000, 'heap, MB': heap };
      figures.push(
        figureOf(phone.runtime, 'offline start → list', starts[i] ?? [], rest),
        figureOf(phone.runtime, `tap → stop, CPU ÷ ${throttling}`, times.open),
        figureOf(phone.runtime, `tap → delivered, CPU ÷ ${throttling}`, times.deliver),
      );
    }
    const [preact = [], react = []] = starts;
    const [first] = phones;
    if (first) figures.unshift(figureOf('none', `tap, empty page, CPU ÷ ${throttling}`, await tapEmptyPage(first)));
    return {
      title: `The driver app: ${stops} stops of ${lines} lines, Chromium, 360 × 640; ms, a frame is ${frameMs.toFixed(1)}`,
      figures,
      ratios: { 'offline start with React beside Preact': median(react) / median(preact) },
    };
  } finally {
    await endFile(false);
  }
}

function figureOf(runtime: string, what: string, values: readonly number[], rest: Figure = {}): Figure {
  const round = (value: number): number => Number(value.toFixed(1));
  return {
    runtime,
    what,
    n: values.length,
    min: round(Math.min(...values)),
    p50: round(median(values)),
    p75: round(quantile(values, 0.75)),
    p95: round(quantile(values, 0.95)),
    max: round(Math.max(...values)),
    'in a frame': `${values.filter((value) => value <= frameMs).length} of ${values.length}`,
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, round(Number(value))])),
  };
}

/** Signs in, and waits until the phone has the app's files and the route. Then its network is gone. */
async function install({ context, address }: Phone): Promise<void> {
  const page = await context.newPage();
  await page.goto(address);
  await page.getByLabel('Employee number').fill('1001');
  await page.getByLabel('Password').fill('secret-of-driver');
  await page.getByRole('button', { name: 'Sign in' }).tap();
  await page.getByText('All is saved.').waitFor();
  await page.getByRole('link', { name: 'Open stop 1' }).waitFor();
  await page.evaluate(untilControlled);
  await page.close();
  await context.setOffline(true);
}

/** Resolves when the worker has all files of the app. */
async function untilControlled(): Promise<void> {
  const { active } = await navigator.serviceWorker.ready;
  if (active?.state === 'activated') return;
  await new Promise<void>((done) => {
    active?.addEventListener('statechange', () => active.state === 'activated' && done());
  });
}

/** Opens the app without a network and with a stopped worker; ms from the navigation to the frame that shows the list. */
async function startCold(phone: Phone): Promise<number> {
  const page = await openCold(phone);
  const [shown = Number.NaN] = numbers.parse(await page.evaluate('paints.list'));
  await page.close();
  return shown;
}

async function openCold({ context, address }: Phone): Promise<Page> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('ServiceWorker.enable');
  await devtools.send('ServiceWorker.stopAllWorkers');
  await devtools.detach();
  await page.goto(address);
  await page.getByRole('link', { name: /^(Open stop|Go to)/ }).waitFor();
  await page.evaluate('paints.shown');
  return page;
}

/** Opens and delivers stops on a slow phone; ms from each touch to the end of the frame that answers it. */
async function tapThrough(phone: Phone): Promise<{ times: Times; heap: number }> {
  const page = await openCold(phone);
  const devtools = await phone.context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: throttling });
  const times: Times = { open: [], deliver: [] };
  await page.getByRole('link', { name: 'Open stop 1' }).tap();
  for (let stop = 1; stop <= tappedStops; stop++) {
    const deliver = page.getByRole('button', { name: /^Deliver/ });
    times.deliver.push(await tapTime(page, deliver));
    await page.getByText('Where is this delivery now?').waitFor();
    await page.getByRole('button', { name: 'Close' }).tap();
    const next = page.getByRole('link', { name: `Open stop ${stop + 1}` });
    await next.waitFor();
    times.open.push(await tapTime(page, next));
    await page.getByText(`Stop ${stop + 1} of ${stops}`).waitFor();
  }
  const heap = await heapOf(devtools);
  await page.close();
  return { times, heap };
}

/** The floor: a page with one button and no script of its own. */
async function tapEmptyPage({ context }: Phone): Promise<number[]> {
  const page = await context.newPage();
  await page.setContent('<button>Tap</button>');
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: throttling });
  const times: number[] = [];
  for (let n = 0; n < tappedStops; n++) times.push(await tapTime(page, page.getByRole('button')));
  await page.close();
  return times;
}

async function tapTime(page: Page, target: ReturnType<Page['getByRole']>): Promise<number> {
  await page.evaluate('paints.expectTap()');
  await target.tap();
  return z.number().parse(await page.evaluate('paints.answered'));
}

const numbers = z.array(z.number());

/** MB of live objects. */
async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

interface Paints {
  /** ms from the start of the navigation to the end of the first frame with the list. */
  readonly list: number[];
  readonly shown: Promise<void>;
  /** Measures the next tap. */
  expectTap(): void;
  /** ms from the tap to the end of the next frame. */
  answered: Promise<number>;
}

declare global {
  var paints: Paints;
}

/** Runs in the page before the app's scripts. */
function watchPaints(): void {
  const list: number[] = [];
  /** Runs after the next frame is drawn: its message waits behind style, layout and paint. */
  const afterFrame = (work: () => void): void =>
    void requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', work, { once: true });
      port1.start();
      port2.postMessage(0);
    });
  const shown = new Promise<void>((done) => {
    const look = (): void => {
      if (document.querySelector('main h2') === null) return void requestAnimationFrame(look);
      afterFrame(() => {
        list.push(performance.now());
        done();
      });
    };
    requestAnimationFrame(look);
  });
  const expectTap = (): void => {
    const { promise, resolve } = Promise.withResolvers<number>();
    globalThis.paints.answered = promise;
    const measure = ({ timeStamp }: Event): void => afterFrame(() => resolve(performance.now() - timeStamp));
    addEventListener('click', measure, { capture: true, once: true });
  };
  globalThis.paints = { list, shown, expectTap, answered: Promise.resolve(0) };
}
