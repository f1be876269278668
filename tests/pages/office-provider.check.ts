import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IdentityProvider } from '../support/identity-provider.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { reservePort } from '../support/reserved-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { faultsOf, settle } from './looks.ts';

let provider: IdentityProvider;
let world: OfficeWorld;
beforeAll(async () => {
  const port = String(await reservePort());
  const redirectUrl = `http://127.0.0.1:${port}/office/`;
  provider = await startIdentityProvider(redirectUrl);
  const secretFile = join(await temporaryFolder(), 'secret');
  await writeFile(secretFile, provider.clientSecret, { mode: 0o600 });
  world = await openOfficeWorld({
    env: {
      PORT: port,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_SECRET_FILE: secretFile,
      OIDC_REDIRECT_URL: redirectUrl,
    },
  });
  provider.people.set('u-17', { preferred_username: 'maryb', name: 'Mary Brown', groups: ['tailgate-repair'] });
  provider.people.set('u-18', { preferred_username: 'drv', name: 'A Driver', groups: ['drivers'] });
});
afterAll(() => expect(world.faults()).toEqual([]));

const byCompany = 'Sign in with the company account';

/** A person at the provider's own pages: enters the login name and consents. */
async function atProvider(page: Page, login: string): Promise<void> {
  await page.waitForURL(`${provider.issuer}/interaction/**`);
  await page.locator('[name=login]').fill(login);
  await page.locator('[name=password]').fill('any');
  await page.locator('[type=submit]').click();
  await page.locator('[name=prompt][value=consent]').waitFor({ state: 'attached' });
  await page.locator('[type=submit]').click();
}

test('B1: one click leaves for the provider; its answer opens the page of the deep link, and no address keeps it', async () => {
  const desk = await world.stranger('#/phones');
  desk.hand.count();
  await desk.hand.sees(byCompany);
  await settle(desk.page);
  expect(await faultsOf(desk.page)).toEqual([]);
  await desk.shot('office-door-provider');
  await desk.hand.tap(byCompany);
  expect(desk.hand.count()).toEqual({ taps: 1, fields: 0 });
  await atProvider(desk.page, 'u-17');
  await desk.hand.sees('Mary Brown');
  await desk.hand.sees('May repair');
  await desk.hand.sees('Look here before a route is paid');
  expect(desk.page.url()).toBe(`${world.address}#/phones`);
  await desk.page.reload();
  await desk.hand.sees('Mary Brown');
  // An operator of the provider has no password: the lock opens by the provider, too.
  await desk.hand.tap('Lock');
  await desk.hand.sees('You locked this page.');
  await desk.hand.tap(byCompany);
  await desk.hand.sees('May repair');
});

test('an account without a role gets a sentence', async () => {
  const desk = await world.stranger();
  await desk.hand.tap(byCompany);
  await atProvider(desk.page, 'u-18');
  await desk.hand.sees('The server refused:');
  await desk.hand.sees('groups');
  expect(desk.page.url()).toBe(world.address);
});

test('a sign-in of another tab, or one that the person declines, gets a sentence; the password goes on beside it', async () => {
  const desk = await world.stranger('?code=stolen&state=of-another-tab');
  await desk.hand.sees('This sign-in did not begin in this tab.');
  expect(desk.page.url()).toBe(world.address);
  await desk.hand.tap(byCompany);
  await desk.page.waitForURL(`${provider.issuer}/interaction/**`);
  await desk.page.goto(`${world.address}?error=access_denied&error_description=%3Cb%3Eno&state=any`);
  await desk.hand.sees('The company account did not sign you in.');
  await desk.signIn('LOOK');
});

test('a sign-in that breaks off on its way can begin again', async () => {
  const desk = await world.stranger();
  const ofProvider = `${provider.issuer}/**`;
  await desk.page.route(ofProvider, (route) => route.fulfill({ status: 204 }));
  const broken = desk.page.waitForResponse(ofProvider);
  await desk.hand.tap(byCompany);
  await broken;
  await desk.page.unroute(ofProvider);
  await desk.hand.tap(byCompany);
  await expect(desk.page.waitForURL(`${provider.issuer}/interaction/**`)).resolves.toBeUndefined();
});
