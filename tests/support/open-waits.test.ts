import { expect, test } from 'vitest';
import { listed, takeOpenWaits } from './open-waits.ts';

test('an open wait is listed with its place and its subject, an ended one is not', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const wait = listed(promise, () => ({ status: 'O' }));
  const ended = listed(Promise.resolve('at once'));
  await ended;
  expect(takeOpenWaits()).toEqual([
    expect.stringMatching(/^tests\/support\/open-waits\.test\.ts:6:\d+, since \d+\.\d s, at \{"status":"O"\}$/),
  ]);
  expect(takeOpenWaits()).toEqual([]);
  resolve('done');
  expect(await wait).toBe('done');
});

test('a wait that fails is not listed any more', async () => {
  await expect(listed(Promise.reject(new Error('the phone has gone')))).rejects.toThrow('the phone has gone');
  expect(takeOpenWaits()).toEqual([]);
});
