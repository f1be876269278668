import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { crashPage, servePage, startBrowser, untilReady } from './browser.ts';
import type { AppApi, FieldPhone, PhoneOptions } from './field-phone.ts';
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

  async newPhone({ diskBytes }: PhoneOptions = {}): Promise<FieldPhone> {
    const name = `phone-${randomUUID()}`;
    if (diskBytes === undefined) return this.#phone(name, this.#context);
    // A quota counts only where it was set before the first use of the storage.
    const context = await this.#browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    const quota = (quotaSize: number): Promise<unknown> =>
      devtools.send('Storage.overrideQuotaForOrigin', { origin: this.#address, quotaSize });
    await page.goto(`${this.#address}#${name}`);
    await quota(diskBytes);
    return this.#phone(name, context, { page, makeRoom: () => quota(1e9) });
  }

  #phone(
    name: string,
    context: BrowserContext,
    { page, makeRoom }: { page?: Page; makeRoom?: () => Promise<unknown> } = {},
  ): FieldPhone {
    let isOpen = page !== undefined;
    /** An address that can reach the phone's storage. */
    const openPage = async (): Promise<Page> => {
      page ??= this.#free.pop() ?? (await context.newPage());
      if (!isOpen) await page.goto(`${this.#address}#${name}`);
      isOpen = true;
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
      app: apiOf(running),
      start: async (elapsedMs = 0) => (await openPage()).evaluate((ms) => globalThis.fieldPage.start(ms), elapsedMs),
      // By leaving the page, without any prompt.
      stop: async () => {
        await page?.goto('about:blank');
        isOpen = false;
      },
      kill: async () => {
        if (page) await crashPage(page);
        page = undefined;
        isOpen = false;
      },
      secondInstance: () => this.#phone(name, context),
      rows: async (table) => (await openPage()).evaluate((of) => globalThis.fieldPage.rows(of), table),
      write: async (changes) => (await openPage()).evaluate((all) => globalThis.fieldPage.write(all), changes),
      upgradeStorage: async () => (await openPage()).evaluate(() => globalThis.fieldPage.upgradeStorage()),
      closeStorage: () => running().evaluate(() => globalThis.fieldPage.closeStorage()),
      makeRoom: async () => void (await makeRoom?.()),
      deleteBytes: async (id) => (await openPage()).evaluate((of) => globalThis.fieldPage.deleteBytes(of), id),
      recordSizes: async (id) => (await openPage()).evaluate((of) => globalThis.fieldPage.recordSizes(of), id),
    };
  }
}

function apiOf(page: () => Page): AppApi {
  return {
    shiftWallClock: (ms) => listed(page().evaluate((by) => globalThis.fieldApp.shiftWallClock(by), ms)),
    advanceClocks: (ms) => listed(page().evaluate((by) => globalThis.fieldApp.advanceClocks(by), ms)),
    overrideNetworkState: (isOnline) =>
      listed(page().evaluate((is) => globalThis.fieldApp.overrideNetworkState(is), isOnline)),
    signUp: (employee) => listed(page().evaluate((who) => globalThis.fieldApp.signUp(who), employee)),
    signIn: (employee) => listed(page().evaluate((who) => globalThis.fieldApp.signIn(who), employee)),
    signOut: () => listed(page().evaluate(() => globalThis.fieldApp.signOut())),
    record: (key, stop, values) =>
      listed(
        page().evaluate((tap) => globalThis.fieldApp.record(tap.key, tap.stop, tap.values), { key, stop, values }),
      ),
    recordUnchecked: (key, stop, values) =>
      listed(
        page().evaluate((tap) => globalThis.fieldApp.recordUnchecked(tap.key, tap.stop, tap.values), {
          key,
          stop,
          values,
        }),
      ),
    fillDisk: (key, stops) =>
      listed(page().evaluate((all) => globalThis.fieldApp.fillDisk(all.key, all.stops), { key, stops })),
    receipt: (id) => listed(page().evaluate((of) => globalThis.fieldApp.receipt(of), id)),
    untilSaved: (id) => listed(page().evaluate((of) => globalThis.fieldApp.untilSaved(of), id)),
    settled: (id) => listed(page().evaluate((of) => globalThis.fieldApp.settled(of), id)),
    onHost: (id) => listed(page().evaluate((of) => globalThis.fieldApp.onHost(of), id)),
    delayAcks: () => listed(page().evaluate(() => globalThis.fieldApp.delayAcks())),
    untilAckDelayed: () => listed(page().evaluate(() => globalThis.fieldApp.untilAckDelayed())),
    releaseAcks: () => listed(page().evaluate(() => globalThis.fieldApp.releaseAcks())),
    shown: (key) => listed(page().evaluate((route) => globalThis.fieldApp.shown(route), key)),
    watch: (key, stop) => listed(page().evaluate((at) => globalThis.fieldApp.watch(at.key, at.stop), { key, stop })),
    watchedComments: () => listed(page().evaluate(() => globalThis.fieldApp.watchedComments())),
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
    events: () => listed(page().evaluate(() => globalThis.fieldApp.events())),
    addFile: (file) => listed(page().evaluate((added) => globalThis.fieldApp.addFile(added), file)),
    fileHere: (id) => listed(page().evaluate((of) => globalThis.fieldApp.fileHere(of), id)),
    uploads: () => listed(page().evaluate(() => globalThis.fieldApp.uploads())),
  };
}
