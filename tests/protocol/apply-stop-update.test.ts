import { applyStopUpdate, stopObject, type StopResult } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';

const stamp = { at: 1, client: 'rest', seq: 1, by: '1001' };
const pending: StopResult = { status: 'P' };

test.each([
  ['updates', { updates: {} }],
  ['an action', { action: {} }],
  ['nothing but a photo list that null does not clear', { updates: { image_ids: null } }],
])('a line that is sent with empty %s stays unchanged: it gets no result and no count on the host', (_what, said) => {
  const lines = [
    { id: 'MILK', invoice: 'I1', updates: { delivered: 3 } },
    { id: 'EGGS', invoice: 'I1', ...said },
  ];
  const { result } = applyStopUpdate(pending, stopObject.parse({ id: 1, products: lines, collections: lines }), stamp);
  expect(Object.keys(result.products ?? {})).toEqual(['MILK\tI1\t0']);
  expect(Object.keys(result.collections ?? {})).toEqual(['MILK\tI1\t0']);
});

test('the server stores action fields that only the app needs beside the fields of the host (contract §4)', () => {
  const action = { type: 'count', open: true, open_action: { step: [1, null] }, item_name: 'Totes', quantity: 4 };
  const lines = [{ id: 'TOTE', invoice: 'I1', action }];
  const { result } = applyStopUpdate(pending, stopObject.parse({ id: 1, products: lines, collections: lines }), stamp);
  const kept = {
    action_type: 'count',
    open: true,
    open_action: { step: [1, null] },
    item_name: 'Totes',
    action_quantity: 4,
  };
  for (const kind of ['products', 'collections'] as const)
    expect(Object.values(result[kind] ?? {})).toMatchObject([kept]);
});
