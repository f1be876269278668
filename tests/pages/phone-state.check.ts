import { operations } from '@tailgate/sync-protocol';
import type { Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { startSmsGateway } from '../support/sms-gateway.ts';
import { faultsOf } from './looks.ts';
import type { PagePhone } from './page-phone.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { day, short, long } = routes;
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

let world: PageWorld;
const gateway = await startSmsGateway();
beforeAll(async () => {
  world = await openPageWorld({ env: { SMS_URL: gateway.url } });
  await world.register(day.driver, short.driver, long.driver);
});

describe('A1: the hint to install', () => {
  test('offers the browser’s own dialog by one tap, once', async () => {
    const phone = await world.phone();
    const finger = await phone.start();
    await finger.sees('Who is driving?');
    expect(await finger.read()).not.toContain('home screen');
    const prompts = await phone.page.evaluateHandle(() => {
      const count = { prompts: 0 };
      dispatchEvent(
        Object.assign(new Event('beforeinstallprompt'), { prompt: () => Promise.resolve(count.prompts++) }),
      );
      return count;
    });
    await finger.sees('Put Tailgate on the home screen. It then opens without a network.');
    await phone.shot('install-hint');
    finger.count();
    await finger.tap('Add');
    expect(finger.count()).toEqual({ taps: 1, fields: 0 });
    await finger.seesNo('home screen');
    expect(await prompts.evaluate(({ prompts: n }) => n)).toBe(1);
  });

  test('goes when the browser has installed the app', async () => {
    const phone = await world.phone();
    const finger = await phone.start();
    await finger.sees('Who is driving?');
    await phone.page.evaluate(() =>
      dispatchEvent(Object.assign(new Event('beforeinstallprompt'), { prompt: () => Promise.resolve() })),
    );
    await finger.sees('home screen');
    await expect.poll(() => finger.read()).toContain('It then opens without a network.');
    await phone.page.evaluate(() => dispatchEvent(new Event('appinstalled')));
    await finger.seesNo('home screen');
  });

  test('says the way of an iPhone in words: its browser has no dialog', async () => {
    const phone = await world.phone({ userAgent: iphone });
    const finger = await phone.start();
    await finger.sees('Put Tailgate on the home screen. Tap Share, then “Add to Home Screen”.');
    await phone.shot('install-ios');
    expect(await finger.read()).not.toContain('Add It');
  });
});

describe('A12: passwords', () => {
  test('a one-time password by text leads to an own one, and the own one signs in', async () => {
    await world.service.database.pool.query(`update employee set phone = '312-555-1003' where id = $1`, [short.driver]);
    const phone = await world.phone();
    const finger = await phone.start();
    await finger.type('Employee number', short.driver);
    await finger.tap('Forgot it?');
    await finger.sees(`If the office knows number ${short.driver}, a one-time password is on its way`);
    await phone.shot('one-time-asked');
    const [oneTime = ''] = (await gateway.next('312-555-1003')).text.match(/\b[A-Z2-9]{8}\b/) ?? [];
    await finger.type('Password', oneTime);
    await finger.tap('Sign in');
    await finger.sees('Choose your own password');
    // The language is no way around it: the one-time password is used up.
    await finger.tap('Español');
    await finger.sees('Elija su propia contraseña');
    await finger.tap('English');
    await finger.sees('Choose your own password');
    await finger.tap('Save the password');
    await finger.sees('At least 8 characters.');
    finger.count();
    await finger.type('New password', 'the long road');
    await finger.type('The same again', 'the long roads');
    await finger.tap('Save the password');
    await finger.sees('The two are not the same.');
    await phone.shot('own-password-differs');
    await finger.type('The same again', 'the long road');
    await finger.tap('Save the password');
    expect(finger.count()).toEqual({ taps: 2, fields: 3 });
    await finger.sees('Next · stop');
    await signOut(phone);
    await finger.type('Employee number', short.driver);
    await finger.type('Password', oneTime);
    await finger.tap('Sign in');
    await finger.sees('Number and password do not match.');
    await finger.type('Password', 'the long road');
    await finger.tap('Sign in');
    await finger.sees('Next · stop');
  });

  test('an own password may wait: the route is one tap away', async () => {
    const { rest, database } = world.service;
    await database.pool.query(`update employee set phone = '312-555-1009' where id = $1`, [long.driver]);
    await rest.call(operations.resetPassword, { body: { employee_id: long.driver } });
    const [oneTime = ''] = (await gateway.next('312-555-1009')).text.match(/\b[A-Z2-9]{8}\b/) ?? [];
    const phone = await world.phone();
    const finger = await phone.start();
    await finger.type('Employee number', long.driver);
    await finger.type('Password', oneTime);
    await finger.tap('Sign in');
    await finger.sees('Choose your own password');
    finger.count();
    await finger.tap('Later');
    expect(finger.count()).toEqual({ taps: 1, fields: 0 });
    await finger.sees('Next · stop');
    await phone.page.evaluate(() => void (location.hash = '#/display'));
    await finger.tap('Sign out');
    await finger.sees('Who is driving?');
    // The next driver begins at the route, and not in this sheet.
    expect(new URL(phone.page.url()).hash).toBe('#/');
  });
});

describe('A12: without an answer', () => {
  // A driver gets one password by text in a minute.
  test.each([
    { request: 'password/update', driver: '1004' },
    { request: 'signin', driver: '1005' },
  ])('an own password whose answer of $request is lost is saved by the same tap again', async ({ request, driver }) => {
    const phone = await world.phone();
    const finger = await phone.start();
    const number = `312-555-${driver}`;
    await world.register(driver);
    await world.service.database.pool.query('update employee set phone = $2 where id = $1', [driver, number]);
    await world.service.rest.call(operations.resetPassword, { body: { employee_id: driver } });
    // The text about the registration may come first.
    let oneTime: string | undefined;
    while (oneTime === undefined) [oneTime] = (await gateway.next(number)).text.match(/\b[A-Z2-9]{8}\b/) ?? [];
    await finger.type('Employee number', driver);
    await finger.type('Password', oneTime);
    await finger.tap('Sign in');
    await finger.sees('Choose your own password');
    const word = `the answer of ${request}`;
    await finger.type('New password', word);
    await finger.type('The same again', word);
    const loseAnswer = async (route: Route): Promise<void> => {
      await route.fetch();
      await route.abort();
    };
    await phone.context.route(`**/api/auth/${request}`, loseAnswer, { times: 1 });
    await finger.tap('Save the password');
    await finger.sees('No network. A sign-in needs one');
    await finger.tap('Save the password');
    await finger.sees('Connected. All is saved.');
  });
});

test('an employee number with letters can be typed: a key beside the field changes the keyboard', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  const field = phone.page.getByLabel('Employee number');
  await finger.sees('ABC');
  expect(await field.getAttribute('inputmode')).toBe('numeric');
  await finger.tap('ABC');
  expect(await field.getAttribute('inputmode')).toBe('text');
  expect(await field.getAttribute('autocapitalize')).toBe('characters');
  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
  await finger.tap('123');
  expect(await field.getAttribute('inputmode')).toBe('numeric');
});

describe('A16: the storage', () => {
  test('the day says whether the browser keeps the data for good', async () => {
    const phone = await world.phone();
    const finger = await phone.start();
    await phone.signIn(day.driver);
    await finger.tap('My day');
    await finger.sees('The browser may delete the data when space is short. On the home screen it is kept.');
    // The browser may offer it long after the sign-in.
    await phone.page.evaluate(() =>
      dispatchEvent(Object.assign(new Event('beforeinstallprompt'), { prompt: () => Promise.resolve() })),
    );
    await finger.sees('Put Tailgate on the home screen.');
    await phone.shot('storage-not-kept');
    const devtools = await world.browser.newBrowserCDPSession();
    await devtools.send('Browser.setPermission', {
      permission: { name: 'persistent-storage' },
      setting: 'granted',
      origin: new URL(world.address).origin,
      browserContextId: await contextIdOf(phone),
    });
    const again = await phone.restart();
    await again.tap('My day');
    await again.sees('The data is kept until you delete it.');
    expect(await again.read()).not.toContain('may delete');
    await phone.shot('storage-kept');
  });

  test('a browser that has deleted the data: the sign-in and the route say so', async () => {
    const phone = await world.phone();
    // A browser that asks the driver about the storage, who does not answer: nothing waits for that.
    await phone.context.addInitScript('StorageManager.prototype.persist = () => new Promise(() => undefined)');
    let finger = await phone.start();
    await phone.signIn(day.driver);
    await phone.untilInstalled();
    await phone.untilStored(13);
    await phone.page.goto(`${world.address}licences.txt`);
    await phone.page.evaluate(deleteDatabases);
    await phone.page.close();
    finger = await phone.start();
    await finger.sees('The phone deleted the app’s storage.');
    await finger.sees('ask the office which stops it has');
    await phone.shot('evicted-sign-in');
    expect(await faultsOf(phone.page)).toEqual([]);
    await phone.signIn(day.driver);
    await finger.sees('The phone deleted the app’s storage.');
    await phone.shot('evicted-route');
    expect(await faultsOf(phone.page)).toEqual([]);
    // A kill is no reading of it.
    finger = await phone.restart();
    await finger.sees('The phone deleted the app’s storage.');
    await finger.tap('Close');
    await finger.seesNo('deleted');
    finger = await phone.restart();
    await finger.sees('Next · stop');
    expect(await finger.read()).not.toContain('deleted');
  });
});

async function signOut({ finger }: PagePhone): Promise<void> {
  await finger.tap('My day');
  await finger.tap('Sign out');
  await finger.sees('Who is driving?');
}

async function contextIdOf(phone: PagePhone): Promise<string> {
  const session = await phone.context.newCDPSession(phone.page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  return targetInfo.browserContextId ?? '';
}

/** As a browser that is short of space: all databases of the app, and no localStorage. */
async function deleteDatabases(): Promise<void> {
  for (const { name = '' } of await indexedDB.databases())
    await new Promise((done) => indexedDB.deleteDatabase(name).addEventListener('success', done));
}
