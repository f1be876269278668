import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorPassword } from '../support/operators.ts';
import type { OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { deliver, driverOf, refuseComments, refusedComment, untilParked } from './refusing-host.ts';

let world: OfficeWorld;
let repair: string;
beforeAll(async () => {
  world = await openOfficeWorld();
  await refuseComments(world.service);
  const driver = await driverOf(world.service, '1001');
  await deliver(world.service, driver, 'R100', 2, { driver_comments: refusedComment });
  const { parked_id } = await untilParked(world.service, world.headers.look.authorization, 'R100', 2);
  repair = `#/parked/${parked_id}`;
});
afterAll(() => expect(world.faults()).toEqual([]));

test('B1: two fields and one click sign in; the role is shown; a reload keeps the session of this tab', async () => {
  const desk = await world.stranger();
  await desk.hand.sees('Sign in to the office');
  desk.hand.count();
  await desk.signIn('REPAIR');
  expect(desk.hand.count()).toEqual({ taps: 1, fields: 2 });
  await desk.hand.sees('Clerk of repair');
  await desk.hand.sees('May repair');
  await desk.page.reload();
  await desk.hand.sees('Clerk of repair');
  // Another tab starts without a session: no cookie, no local storage.
  const other = await desk.context.newPage();
  await other.goto(world.address);
  await other.getByText('Sign in to the office').waitFor();
});

test('a wrong password is refused in a sentence, and the name stays', async () => {
  const desk = await world.stranger();
  await desk.hand.type('Name', 'repair');
  await desk.hand.type('Password', 'not this one');
  await desk.hand.tap('Sign in');
  await desk.hand.sees('Name or password is wrong.');
  await desk.hand.type('Password', operatorPassword);
  await desk.hand.tap('Sign in');
  await desk.hand.sees('Clerk of repair');
  expect(desk.faults).toEqual([]);
});

test('the page locks when it is idle, keeps a half-typed text, and ends its session at the server', async () => {
  const desk = await world.stranger(repair);
  await desk.page.clock.install();
  await desk.signIn('REPAIR');
  await desk.hand.type('Comment of the driver', 'Left at the do');
  const { token } = await desk.session();
  await desk.page.clock.fastForward('12:00:00');
  await desk.hand.sees('This page locked itself');
  expect(await desk.hand.read()).not.toContain('R100');
  const answer = () =>
    fetch(`${world.service.server.url}/api/ops/me`, { headers: { authorization: `Bearer ${token}` } });
  await expect.poll(async () => (await answer()).status).toBe(401);
  await desk.page.reload();
  await desk.hand.sees('Locked');
  await desk.hand.type('Password', operatorPassword);
  await desk.hand.tap('Unlock');
  // At once, although the reads behind the lock were refused.
  await desk.page.getByRole('heading', { name: 'Repair stop 2' }).waitFor({ timeout: 4_000 });
  await desk.hand.seesNo('The server refused');
  await desk.hand.sees('Left at the do');
});

test('an asked-for lock keeps the page in memory; another operator finds nothing of it', async () => {
  const desk = await world.desk('repair', repair);
  await desk.hand.type('Comment of the driver', 'half a sen');
  await desk.hand.tap('Lock');
  await desk.hand.sees('You locked this page.');
  expect(await desk.page.title()).toBe('Locked – Tailgate');
  // The keyboard goes on without the mouse: at the password, and then where it was.
  await desk.page.keyboard.type(operatorPassword);
  await desk.page.keyboard.press('Enter');
  await desk.hand.sees('half a sen');
  await expect.poll(() => desk.page.title()).toMatch(/^Repair stop 2 .*– Tailgate$/);
  await expect.poll(() => desk.page.locator(':focus').textContent()).toBe('Lock');
  await desk.hand.tap('Lock');
  await desk.hand.tap('Sign in as someone else');
  await desk.signIn('ADMIN');
  await desk.hand.sees('Clerk of admin');
  await desk.hand.sees('Repair stop 2');
  expect(await desk.hand.read()).not.toContain('half a sen');
});

test('a session that the server has ended locks the page', async () => {
  const desk = await world.desk('admin');
  const { token } = await desk.session();
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${world.service.server.url}/api/ops/sessions/current`, { method: 'DELETE', headers });
  await desk.hand.sees('The server has ended your session.');
  expect(desk.faults).toEqual([]);
});

test('the keyboard alone signs in, walks through a list, opens a row and goes back', async () => {
  const desk = await world.stranger('#/parked');
  const { keyboard } = desk.page;
  await desk.hand.sees('Sign in to the office');
  await keyboard.press('Tab');
  await keyboard.type('LOOK');
  await keyboard.press('Tab');
  await keyboard.type(operatorPassword);
  await keyboard.press('Enter');
  await desk.hand.sees('R100 · stop 2');
  await keyboard.press('j');
  // The row with the focus shows its times in UTC.
  await desk.hand.sees('UTC');
  await keyboard.press('Enter');
  await desk.hand.sees('Repair stop 2');
  await desk.hand.sees('This needs the role “May repair”. Yours is “May look”.');
  await desk.page.goBack();
  await desk.hand.sees('The host refuses these rows.');
  expect(desk.faults).toEqual([]);
});

test('a deep link opens its page after the sign-in; an unknown one says so', async () => {
  const desk = await world.desk('look', repair);
  await desk.hand.sees('Repair stop 2');
  await desk.go('#/nothing/here');
  await desk.hand.sees('There is no page at this address.');
  expect(desk.faults).toEqual([]);
});

test('one console has one tab; without the server the page shows the age of its news', async () => {
  const desk = await world.desk('look');
  await desk.hand.sees('R100 · stop 2');
  await desk.context.setOffline(true);
  await desk.hand.sees('The server does not answer.');
  await desk.hand.sees('R100 · stop 2');
  await desk.context.setOffline(false);
  await desk.hand.sees('Live, heard');
  expect(desk.faults).toEqual([]);
});
