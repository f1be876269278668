import { driverPassword } from '@tailgate/client-sdk/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { crashPage, openPage, servePage, startBrowser } from '../support/browser.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

const script = `
import { createElement as h, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient, openIndexedDb } from '@tailgate/client-sdk';
import { ClientProvider, useDraft, useStop } from '@tailgate/client-sdk/react';

const client = await createClient({ url: location.origin, store: await openIndexedDb() });

function Stop() {
  const stop = useStop(1);
  const [draft, setDraft] = useDraft(1);
  return stop ? h('main', {},
    h('input', { value: draft ?? '', onChange: (event) => setDraft(event.target.value) }),
    h('button', { onClick: () => client.stop(1).deliver({ driver_comments: draft ?? null }) }, 'Deliver'),
    h('p', {}, stop.updates.status + ' ' + (stop.draft ?? 'without a draft'))) : null;
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  h(StrictMode, {}, h(ClientProvider, { client }, h(Stop))));
globalThis.signIn = () => client.signIn({ employeeId: '1001', password: '${driverPassword}' });
globalThis.ready = true;
`;

/** Types into the middle of the field, as a driver corrects a word. */
async function typeInto(page: Page, ends: string, middle: string): Promise<void> {
  const field = page.getByRole('textbox');
  await field.click();
  await page.keyboard.type(ends);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type(middle);
}

test('a text field on a draft takes keystrokes in every page, survives a crash, and is empty after the delivery', async () => {
  const server = await startScriptedServer();
  const address = await servePage(script, server.url);
  const browser = await startBrowser();
  const context = await browser.newContext();
  const leader = await openPage(context, address);
  await leader.evaluate(() => globalThis.signIn());
  await typeInto(leader, 'ab', '12');
  expect(await leader.getByRole('textbox').inputValue()).toBe('a12b');
  const follower = await openPage(context, address);
  await follower.getByText('P a12b').waitFor();
  await typeInto(follower, '!', '-in-the-second-page-');
  expect(await follower.getByRole('textbox').inputValue()).toBe('a-in-the-second-page-12b!');
  await leader.getByText('P a-in-the-second-page-12b!').waitFor();
  await crashPage(leader);
  await follower.getByText('P a-in-the-second-page-12b!').waitFor();
  const again = await openPage(context, address);
  await again.getByText('P a-in-the-second-page-12b!').waitFor();
  await again.getByRole('button').click();
  for (const page of [follower, again]) {
    await page.getByText('D without a draft').waitFor();
    expect(await page.getByRole('textbox').inputValue()).toBe('');
  }
  await expect.poll(() => server.ledger.taken.length).toBe(1);
});
