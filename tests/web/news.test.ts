import type { Conflict, StopWarning } from '@tailgate/client-sdk';
import { expect, test } from 'vitest';
import { lineOf, newsOf, unseenCount } from '../../server/web/driver/model/news.ts';
import { fieldName, valueWord } from '../../server/web/driver/words/news-sentences.ts';
import { goods, stopOf } from './route-stop.ts';

const stop = stopOf({ id: 3, products: [goods('A', 5), goods('A', 2)] });
const [, second] = stop.products;
const path = `products.${second?.key}.delivered`;

test('the latest news come first; fields of one change are one message', () => {
  const edited = { ...stop, unseen: [{ path, before: 5, after: 4, by: 'MARYB', at: 20 }] };
  const lost: Conflict = { id: 'C1', route: 'r', stop: 2, path, mine: 1, theirs: 2 };
  const news = newsOf({
    route: { stops: [stop, edited] },
    conflicts: [lost, { ...lost, path: 'status', mine: 'D', theirs: 'S' }],
    review: [],
    recordedAt: () => 30,
  });
  expect(news).toMatchObject([
    { kind: 'conflict', stop: 2, fields: [{ mine: 1 }, { mine: 'D' }], at: 30 },
    { kind: 'office', stop: { id: 3 }, at: 20 },
  ]);
  expect(unseenCount(news)).toBe(2);
});

test('remarks of the server on a change are one message; those for the office alone are none', () => {
  const remark = (id: string, code: StopWarning['code']): StopWarning => ({ id, code, path: '', message: 'm' });
  const warnings = [
    remark('A', 'chain_broken'),
    remark('B', 'plan_changed'),
    remark('B', 'after_close'),
    remark('B', 'unknown_code'),
  ];
  const news = newsOf({
    route: { stops: [{ ...stop, warnings }] },
    conflicts: [],
    review: [],
    recordedAt: () => 30,
  });
  expect(news).toMatchObject([
    { kind: 'remark', id: 'B', stop: { id: 3 }, remarks: ['after_close', 'plan_changed'], at: 30 },
  ]);
  expect(unseenCount(news)).toBe(1);
});

test('a path names the line of equal items that it is about', () => {
  expect(lineOf(stop, path)).toEqual({ name: second?.name, field: 'delivered' });
  expect(lineOf(stop, 'updates.store_emp_name')).toBeUndefined();
  expect(fieldName(stop, path)).toBe('Item A');
  expect(fieldName(stop, 'updates.signature_id')).toBe('Signature');
});

test.each([
  ['status', 'D', 'Delivered'],
  [path, 1_200, '1,200'],
  ['updates.followup', true, 'yes'],
  ['updates.driver_comments', '', '–'],
  [path, undefined, '–'],
])('%j reads %j as %s', (field, value, word) => {
  expect(valueWord(field, value)).toBe(word);
});
