import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { freezePage, startBrowser } from '../support/browser.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { faultsOf } from './looks.ts';
import { PagePhone } from './page-phone.ts';
import { startStaticHost } from './static-host.ts';

let browser: Browser;
let open: (locale?: 'en-US' | 'es-MX') => Promise<PagePhone>;
beforeAll(async () => {
  const host = await startStaticHost();
  const network = await startTcpProxy(host.port);
  browser = await startBrowser();
  open = (locale = 'en-US') => PagePhone.open(browser, host.address, network, { locale });
});

/** A page of the same origin that is not the app. */
async function otherPage(phone: PagePhone): Promise<Page> {
  const page = await phone.context.newPage();
  await page.goto(new URL('licences.txt', phone.address).href);
  return page;
}

describe('a start that fails says what to do', () => {
  test('another window that does not answer', async () => {
    const phone = await open();
    const first = await phone.start();
    await first.sees('Who is driving?');
    const { page } = phone;
    await freezePage(page);
    const finger = await phone.start();
    await finger.sees('Another window has the app open and does not answer.');
    await finger.sees('start StoreInUse');
    expect(await faultsOf(phone.page)).toEqual([]);
    await phone.shot('start-in-use');
    await page.close();
    await finger.tap('Try again');
    await finger.sees('Who is driving?');
  });

  test('a browser without storage, in both languages', async () => {
    for (const [locale, words] of [
      ['en-US', 'This browser does not let the app keep data on the phone.'],
      ['es-MX', 'Este navegador no deja que la aplicación guarde datos en el teléfono.'],
    ] as const) {
      const phone = await open(locale);
      await phone.context.addInitScript('Object.defineProperty(globalThis, "indexedDB", { value: undefined })');
      const finger = await phone.start();
      await finger.sees(words);
      expect(await faultsOf(phone.page)).toEqual([]);
      await phone.shot(`start-denied-${locale}`);
    }
  });

  test('a page whose scripts do not load, in both languages', async () => {
    const phone = await open();
    await phone.context.route(/main-[^/]*\.js/, (request) => request.abort());
    const finger = await phone.start();
    await finger.sees('The app has not opened');
    await finger.sees('La aplicación no se abrió');
    expect(await faultsOf(phone.page)).toEqual([]);
    await phone.shot('start-no-scripts');
    await phone.context.unroute(/main-[^/]*\.js/);
    await finger.tap('Open it again');
    await finger.sees('Who is driving?');
    expect(await finger.read()).not.toContain('has not opened');
  });

  test('data of a newer version', async () => {
    const phone = await open();
    const page = await otherPage(phone);
    await page.evaluate(
      () =>
        new Promise((done) => {
          const request = indexedDB.open('tailgate', 99);
          request.addEventListener('success', () => done(request.result.close()));
        }),
    );
    const finger = await phone.start();
    await finger.sees('The data on this phone is from a newer version of the app.');
    expect(await faultsOf(phone.page)).toEqual([]);
    await phone.shot('start-newer');
  });

  test('storage that does not answer, until it does', async () => {
    const phone = await open();
    const page = await otherPage(phone);
    await page.evaluate(
      () =>
        new Promise<void>((done) => {
          // This page keeps its connection, so the deletion waits, and each later opening with it.
          indexedDB.open('tailgate').addEventListener('success', () => {
            indexedDB.deleteDatabase('tailgate').addEventListener('blocked', () => done());
          });
        }),
    );
    const finger = await phone.start();
    await finger.sees('The phone’s storage does not answer.');
    expect(await faultsOf(phone.page)).toEqual([]);
    await phone.shot('start-slow');
    await page.close();
    await finger.sees('Who is driving?');
  });
});
