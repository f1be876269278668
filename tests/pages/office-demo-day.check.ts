import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { linesOf } from '../../server/src/demo/day/depot.ts';
import { startBrowser } from '../support/browser.ts';
import { startServer } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildApp } from './built-app.ts';
import { Desk } from './desk.ts';

// `DEMO=day npm start`: a stranger has the printed address, name and password, and has read nothing. A click into a field
// counts as one. The pictures of docs/office.md: `cp tests/pages/shots/documents/office-*.png docs/images/`.

let stranger: () => Promise<Desk>;
const desks: Desk[] = [];

beforeAll(async () => {
  await buildApp();
  const server = await startServer({ DATA_DIR: await temporaryFolder(), DEMO: 'day', LOG_LEVEL: 'info' });
  await vi.waitFor(() => expect(server.output).toContain('the demo day is complete'), { timeout: 480_000 });
  const [, name = '', password = ''] = /Operator +(\w+), password (\S+)/.exec(server.output) ?? [];
  const browser = await startBrowser();
  stranger = async () => {
    const desk = await Desk.open(browser, `${server.url}/office/`);
    desks.push(desk);
    await desk.hand.type('Name', name);
    await desk.hand.type('Password', password);
    await desk.hand.tap('Sign in');
    await desk.hand.sees('Sign out');
    desk.hand.count();
    return desk;
  };
}, 720_000);
afterAll(() => expect(desks.flatMap(({ faults }) => faults)).toEqual([]));

const clicksOf = ({ hand }: Desk): number => {
  const { taps, fields } = hand.count();
  return taps + fields;
};

test('which deliveries have a problem: 0 clicks', async () => {
  const desk = await stranger();
  const { hand, shot } = desk;
  await hand.sees('The host refuses 2 stops for one reason');
  for (const place of ['D101 · stop 2', 'D102 · stop 3', 'D104 · stop 4', 'D092 · stop 2']) await hand.sees(place);
  for (const cause of ['A hold has no end', 'A route of an earlier day is still open', 'A later edit counts instead'])
    await hand.sees(cause);
  await hand.sees('Tomasz Zielinski · Samsung XCover 6');
  await shot('documents/office-inbox');
  expect(clicksOf(desk)).toBe(0);
});

test('what a given store received yesterday, with photo and signature: 2 clicks', async () => {
  const desk = await stranger();
  await desk.hand.type('Search', 'old town provisions');
  await desk.hand.sees('D091 stop 1, Old Town Provisions');
  await desk.hand.tap('D091 stop 1, Old Town Provisions');
  await desk.hand.sees('Rosa Medina received it.');
  const pictures = desk.page.locator('main figure img');
  await expect.poll(() => pictures.count()).toBe(2);
  const widths = () =>
    pictures.evaluateAll((all) => all.map((each) => each instanceof HTMLImageElement && each.naturalWidth));
  await expect.poll(widths).toEqual([360, 480]);
  expect(clicksOf(desk)).toBe(2);
  await desk.shot('documents/office-stop');
});

test('which phone still holds work: 0 clicks for the phone, 1 for all of them', async () => {
  const desk = await stranger();
  await desk.hand.sees('A phone with work on it is silent');
  await desk.hand.tap('Phones');
  await desk.hand.sees('Tomasz Zielinski 2004');
  expect(clicksOf(desk)).toBe(1);
  await desk.shot('documents/office-phones');
});

test('why the host lags: 0 clicks for the hold, 1 for the lag', async () => {
  const desk = await stranger();
  await desk.hand.sees('“Inventory count on the host, back in half an hour”, by LENAK');
  await desk.hand.sees('Nothing reaches the host until an operator ends the hold.');
  await desk.hand.tap('Host');
  await desk.hand.sees('End this hold');
  expect(clicksOf(desk)).toBe(1);
  await desk.shot('documents/office-host');
});

test('every column of the routes is in sight', async () => {
  const desk = await stranger();
  await desk.hand.tap('Routes');
  await desk.hand.sees('D106 Evening');
  const hidden = await desk.page.evaluate(() =>
    Array.from(document.querySelectorAll('main .scrolls'), ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
  );
  expect(hidden.length).toBeGreaterThan(0);
  expect(Math.max(...hidden)).toBe(0);
  await desk.shot('demo-day-routes');
});

test('who corrected a stop, before and after: 3 clicks', async () => {
  const desk = await stranger();
  await desk.hand.type('Search', 'river north');
  await desk.hand.tap('D103 stop 1, River North Kitchen');
  await desk.hand.tap('History');
  await desk.hand.sees('MARYB');
  expect(clicksOf(desk)).toBe(3);
  await desk.shot('documents/office-history');
});

test('a refused stop is repaired until the third tick: 1 click ends the hold, 4 repair', async () => {
  const desk = await stranger();
  await desk.hand.tap('End the hold');
  await desk.hand.seesNo('A hold has no end');
  expect(clicksOf(desk)).toBe(1);
  await desk.hand.tap('Show them');
  await desk.hand.tap('D101 · stop 2');
  await desk.hand.sees('A COUNT OF 1200 IS ABOVE 999');
  const [line] = linesOf('D101', 2);
  await desk.hand.type(`${line?.id}, delivered`, `${line?.quantity}`);
  await desk.shot('documents/office-repair');
  await desk.hand.tap('Save and send');
  await desk.hand.sees('The host has taken this row');
  await desk.hand.sees('Read back and confirmed : done');
  expect(clicksOf(desk)).toBe(4);
});
