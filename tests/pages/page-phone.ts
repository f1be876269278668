import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { crashPage } from '../support/browser.ts';
import { atTestEnd } from '../support/file-end.ts';
import { password } from '../support/people.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { Finger, patienceMs } from './finger.ts';
import { takeShot } from './shots.ts';

export interface PhoneOptions {
  /** CSS px; default: 360 × 640, a small phone. */
  readonly width?: number;
  readonly height?: number;
  /** The text size of the phone's settings, in percent. */
  readonly textPercent?: number;
  readonly locale?: 'en-US' | 'es-MX';
  readonly scheme?: 'light' | 'dark';
  /** The name of another browser; default: Chromium's. */
  readonly userAgent?: string;
  /** The room for the app's data, in bytes. Default: the browser's own limit, which no test can change later. */
  readonly quota?: number;
}

/** One page of the app on a phone. */
export interface Tab {
  readonly page: Page;
  readonly finger: Finger;
}

const normalText = 16;

/** A phone: a browser's profile, and the app in a page of it. The profile survives `kill`. */
export class PagePhone {
  readonly context: BrowserContext;
  readonly address: string;
  readonly #network: TcpProxy;
  readonly #options: PhoneOptions;
  #tab: Tab | undefined;
  #quota: number | undefined;
  #devtools: CDPSession | undefined;

  private constructor(context: BrowserContext, address: string, network: TcpProxy, options: PhoneOptions) {
    this.context = context;
    this.address = address;
    this.#network = network;
    this.#options = options;
    this.#quota = options.quota;
  }

  static async open(
    browser: Browser,
    address: string,
    network: TcpProxy,
    options: PhoneOptions = {},
  ): Promise<PagePhone> {
    const { width = 360, height = 640, locale = 'en-US', scheme = 'light', userAgent } = options;
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
      locale,
      ...(userAgent !== undefined && { userAgent }),
      colorScheme: scheme,
      reducedMotion: 'reduce',
      permissions: ['geolocation'],
      geolocation: { latitude: 41.88, longitude: -87.63 },
    });
    context.setDefaultTimeout(patienceMs);
    // A page that stays open goes on drawing what later tests do.
    atTestEnd(() => context.close());
    return new PagePhone(context, address, network, options);
  }

  get page(): Page {
    return this.tab.page;
  }

  get finger(): Finger {
    return this.tab.finger;
  }

  /** The page that was opened last. */
  get tab(): Tab {
    if (!this.#tab) throw new Error('the app is not open');
    return this.#tab;
  }

  /** Opens the app by its address, in a new page. Pages that are open stay open. */
  async start(hash = ''): Promise<Finger> {
    const page = await this.context.newPage();
    const { textPercent = 100 } = this.#options;
    this.#devtools = await this.context.newCDPSession(page);
    await this.setText(textPercent);
    // A limit counts only where it is set before the first use of the storage.
    if (this.#quota !== undefined) await this.setQuota(this.#quota);
    const finger = new Finger(page);
    this.#tab = { page, finger };
    await page.goto(`${this.address}${hash}`);
    return finger;
  }

  /** Changes the room for the app's data, on a phone that was opened with a quota. */
  async setQuota(bytes: number): Promise<void> {
    this.#quota = bytes;
    const { origin } = new URL(this.address);
    await this.#devtools?.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: bytes });
  }

  /** Changes the text size of the phone's settings, in percent. */
  async setText(percent: number): Promise<void> {
    const size = Math.round((normalText * percent) / 100);
    await this.#devtools?.send('Page.setFontSizes', { fontSizes: { standard: size, fixed: size } });
  }

  /** Signs in on the first screen, and waits for the route. */
  async signIn(driver: string): Promise<void> {
    const { finger } = this;
    await finger.type('Employee number', driver);
    await finger.type('Password', password);
    await finger.tap('Sign in');
    await finger.sees('Next · stop');
  }

  /** Waits until the worker has all files of the app: it opens without a network from now on. */
  async untilInstalled(): Promise<void> {
    await this.page.evaluate(async () => {
      const { active } = await navigator.serviceWorker.ready;
      if (active?.state === 'activated') return;
      await new Promise<void>((done) => {
        active?.addEventListener('statechange', () => active.state === 'activated' && done());
      });
    });
  }

  /** Waits until the phone's disk has a route: a kill before that leaves the next start with nothing to show. */
  async untilStored(stops: number): Promise<void> {
    await expect.poll(() => this.stored('document')).toBeGreaterThanOrEqual(stops);
  }

  /** The number of rows in a table of the phone's store whose keys begin with a text. */
  stored(table: string, prefix = ''): Promise<number> {
    return this.page.evaluate(countRows, { table, prefix });
  }

  /** A dead zone for every phone of the world: links break, and new ones are refused. Resolves when the app shows it. */
  async goOffline(): Promise<void> {
    this.#network.refuse();
    this.#network.cut();
    await this.finger.sees('No network');
  }

  /** Coverage is back. The wake-up is the platform's: the app is in the foreground. */
  async goOnline(): Promise<void> {
    await this.#network.accept();
    await this.#tab?.page.evaluate(() => void globalThis.dispatchEvent(new Event('online')));
  }

  /** The system kills the app: no handler of the page runs. */
  async kill(): Promise<void> {
    const { page } = this;
    await this.#stopWorkers();
    await crashPage(page);
    await page.close();
    this.#tab = undefined;
  }

  /**
   * The system ends the service worker together with its page. Chromium runs it in another process here, where it survives the
   * crash of the page.
   */
  async #stopWorkers(): Promise<void> {
    await this.#devtools?.send('ServiceWorker.enable');
    await this.#devtools?.send('ServiceWorker.stopAllWorkers');
    await this.#devtools?.send('ServiceWorker.disable');
  }

  /** The app is killed and opened again. */
  async restart(): Promise<Finger> {
    await this.kill();
    return this.start();
  }

  /** Writes a picture of the screen: in pixels of the phone, or in CSS px for documents. */
  async shot(name: string, scale: 'device' | 'css' = 'device'): Promise<void> {
    await takeShot(this.page, name, scale);
  }
}

/** The number of rows in a table of the SDK's store whose keys begin with a text. */
const countRows = ({ table, prefix }: { readonly table: string; readonly prefix: string }): Promise<number> =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open('tailgate');
    opening.onerror = () => reject(opening.error ?? new Error('the store cannot be opened'));
    opening.onsuccess = () => {
      const keys = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
      const counting = opening.result.transaction(table).objectStore(table).count(keys);
      counting.onerror = () => reject(counting.error ?? new Error('the store cannot be read'));
      counting.onsuccess = () => {
        opening.result.close();
        resolve(counting.result);
      };
    };
  });
