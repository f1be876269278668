import { expect } from 'vitest';
import type { Desk } from './desk.ts';

/** The page reads nothing more: its network delivers no answers to reads. */
export const withoutReads = ({ page }: Desk): Promise<unknown> =>
  page.route('**/api/ops/**', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));

/** The network delivers all answers again. */
export const withReads = ({ page }: Desk): Promise<void> => page.unroute('**/api/ops/**');

/**
 * After another operator was first, buttons send nothing until the operator has confirmed it.
 * @param buttons of the acts; the first one is used at the end
 * @param path the end of the address of the one request
 */
export async function decidesAnew(desk: Desk, buttons: readonly string[], path: string): Promise<void> {
  const before = desk.acts.length;
  const sent = (): boolean[] => desk.acts.slice(before).map(({ url }) => url.endsWith(path));
  for (const name of buttons) await desk.hand.tap(name);
  expect(sent()).toEqual([]);
  await desk.hand.tap('I have read it: decide anew');
  await desk.hand.sees('Your next click replaces this decision.');
  await desk.hand.tap(buttons[0] ?? '');
  await expect.poll(sent, { timeout: 60_000 }).toEqual([true]);
}
