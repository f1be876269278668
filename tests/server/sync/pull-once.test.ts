import { codesScope } from '@tailgate/sync-protocol';
import { beforeEach, expect, test } from 'vitest';
import { Feed } from '../../../server/src/sync/feed.ts';
import { pullOnce } from '../../../server/src/sync/plain-http/pull-once.ts';
import { createDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';

const { pool } = await createDatabase();
/** A pull that waits for the database gives up after 5 s. */
const soonMs = 2_500;
const request = { employee: '1001', clientId: '', cursors: { [codesScope]: null }, mayRead: () => true };

let feed: Feed;
let startedAt = 0;
beforeEach(() => {
  feed = new Feed({ db: pool, log: recordedLog(), serverEpoch: 1, now: () => performance.now() });
  startedAt = performance.now();
});

test('a pull in progress ends at once when the feed closes', async () => {
  const pulling = pullOnce(feed, request);
  feed.close();
  expect(await pulling).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(soonMs);
});

test('a pull after the feed has closed ends at once', async () => {
  feed.close();
  expect(await pullOnce(feed, request)).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(soonMs);
});

test('a pull before that has an answer', async () => {
  expect(await pullOnce(feed, request)).toHaveLength(1);
  feed.close();
});
