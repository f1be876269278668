import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { crashPage, servePage, startBrowser, untilReady } from './browser.ts';
import type { AppDoors, FieldPhone, PhoneOptions } from './field-phone.ts';
import { listed } from './open-waits.ts';

/** Phones on IndexedDB, each in a page of one real Chromium. Later tests reuse the pages. */
export class ChromiumPhones {
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #address: string;
  readonly #free: Page[] = [];

  private constructor(browser: Browser, context: BrowserContext, address: string) {
    this.#browser = browser;
    this.#context = context;
    this.#address = address;
  }

  /** @param url the server */
  static async open(url: string): Promise<ChromiumPhones> {
    const [browser, address] = await Promise.all([startBrowser(), servePage(`import './field-page.ts'`, url)]);
    return new ChromiumPhones(browser, await browser.newContext(), address);
  }

  async newPhone({ roomBytes }: PhoneOptions = {}): Promise<FieldPhone> {
    const name = `phone-${randomUUID()}`;
    if (roomBytes === undefined) return this.#phone(name, this.#context);
    // A quota counts only where it was set before the first use of the storage.
    const context = await this.#browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    const quota = (quotaSize: number): Promise<unknown> =>
      devtools.send('Storage.overrideQuotaForOrigin', { origin: this.#address, quotaSize });
    await page.goto(`${this.#address}#${name}`);
    await quota(roomBytes);
    return this.#phone(name, context, { page, makeRoom: () => quota(1e9) });
  }

  #phone(
    name: string,
    context: BrowserContext,
    { page, makeRoom }: { page?: Page; makeRoom?: () => Promise<unknown> } = {},
  ): FieldPhone {
    let isHere = page !== undefined;
    /** An address that can reach the phone's storage. */
    const here = async (): Promise<Page> => {
      page ??= this.#free.pop() ?? (await context.newPage());
      if (!isHere) await page.goto(`${this.#address}#${name}`);
      isHere = true;
      await untilReady(page);
      return page;
    };
    const running = (): Page => {
      if (!page) throw new Error('the app does not run');
      return page;
    };
    onTestFinished(async () => {
      if (!page || context !== this.#context) return;
      await page.goto('about:blank');
      this.#free.push(page);
    });
    return {
      app: doorsOf(running),
      start: async (elapsedMs = 0) => (await here()).evaluate((ms) => globalThis.fieldPage.start(ms), elapsedMs),
      // By leaving the page, without any prompt.
      stop: async () => {
        await page?.goto('about:blank');
        isHere = false;
      },
      kill: async () => {
        if (page) await crashPage(page);
        page = undefined;
        isHere = false;
      },
      twin: () => this.#phone(name, context),
      rows: async (table) => (await here()).evaluate((of) => globalThis.fieldPage.rows(of), table),
      write: async (changes) => (await here()).evaluate((all) => globalThis.fieldPage.write(all), changes),
      growStorage: async () => (await here()).evaluate(() => globalThis.fieldPage.growStorage()),
      closeStorage: () => running().evaluate(() => globalThis.fieldPage.closeStorage()),
      makeRoom: async () => void (await makeRoom?.()),
      loseBytes: async (id) => (await here()).evaluate((of) => globalThis.fieldPage.loseBytes(of), id),
      recordSizes: async (id) => (await here()).evaluate((of) => globalThis.fieldPage.recordSizes(of), id),
    };
  }
}

function doorsOf(page: () => Page): AppDoors {
  return {
    turnClock: (ms) => listed(page().evaluate((by) => globalThis.fieldApp.turnClock(by), ms)),
    elapse: (ms) => listed(page().evaluate((by) => globalThis.fieldApp.elapse(by), ms)),
    stickOnline: (isOnline) => listed(page().evaluate((is) => globalThis.fieldApp.stickOnline(is), isOnline)),
    signUp: (employee) => listed(page().evaluate((who) => globalThis.fieldApp.signUp(who), employee)),
    signIn: (employee) => listed(page().evaluate((who) => globalThis.fieldApp.signIn(who), employee)),
    signOut: () => listed(page().evaluate(() => globalThis.fieldApp.signOut())),
    record: (key, stop, said) =>
      listed(page().evaluate((tap) => globalThis.fieldApp.record(tap.key, tap.stop, tap.said), { key, stop, said })),
    recordUnchecked: (key, stop, said) =>
      listed(
        page().evaluate((tap) => globalThis.fieldApp.recordUnchecked(tap.key, tap.stop, tap.said), { key, stop, said }),
      ),
    fillDisk: (key, stops) =>
      listed(page().evaluate((all) => globalThis.fieldApp.fillDisk(all.key, all.stops), { key, stops })),
    receipt: (id) => listed(page().evaluate((of) => globalThis.fieldApp.receipt(of), id)),
    untilSaved: (id) => listed(page().evaluate((of) => globalThis.fieldApp.untilSaved(of), id)),
    settled: (id) => listed(page().evaluate((of) => globalThis.fieldApp.settled(of), id)),
    onHost: (id) => listed(page().evaluate((of) => globalThis.fieldApp.onHost(of), id)),
    holdAcks: () => listed(page().evaluate(() => globalThis.fieldApp.holdAcks())),
    untilAckHeld: () => listed(page().evaluate(() => globalThis.fieldApp.untilAckHeld())),
    releaseAcks: () => listed(page().evaluate(() => globalThis.fieldApp.releaseAcks())),
    shown: (key) => listed(page().evaluate((route) => globalThis.fieldApp.shown(route), key)),
    watch: (key, stop) => listed(page().evaluate((at) => globalThis.fieldApp.watch(at.key, at.stop), { key, stop })),
    seen: () => listed(page().evaluate(() => globalThis.fieldApp.seen())),
    untilShown: (key, stop, field, value) =>
      listed(
        page().evaluate((view) => globalThis.fieldApp.untilShown(view.key, view.stop, view.field, view.value), {
          key,
          stop,
          field,
          value,
        }),
      ),
    untilClosed: (key) => listed(page().evaluate((route) => globalThis.fieldApp.untilClosed(route), key)),
    status: () => listed(page().evaluate(() => globalThis.fieldApp.status())),
    untilOnline: () => listed(page().evaluate(() => globalThis.fieldApp.untilOnline())),
    untilOffline: () => listed(page().evaluate(() => globalThis.fieldApp.untilOffline())),
    untilDrained: () => listed(page().evaluate(() => globalThis.fieldApp.untilDrained())),
    told: () => listed(page().evaluate(() => globalThis.fieldApp.told())),
    addFile: (file) => listed(page().evaluate((taken) => globalThis.fieldApp.addFile(taken), file)),
    fileHere: (id) => listed(page().evaluate((of) => globalThis.fieldApp.fileHere(of), id)),
    uploads: () => listed(page().evaluate(() => globalThis.fieldApp.uploads())),
  };
}
