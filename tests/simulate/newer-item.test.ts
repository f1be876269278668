import { expect, test } from 'vitest';
import { newerItem } from './newer-item.ts';

const route = { facility: 'F01', id: 'R100', week_end: '20261121' };
const place = { clientId: 'c', employee: '1001', route, stop: 1, seq: 3 };

test.each([
  ['the phone’s time', 5_000, [{ editTime: 1_000 }, { editTime: 2_000 }], 5_000],
  [
    'the time of the change in front, on a clock that went back',
    500,
    [{ editTime: 1_000 }, { editTime: 2_000 }],
    2_000,
  ],
  ['the phone’s time in an empty queue', 500, [], 500],
])('a change of a newer app has %s, as this app records', (_, phoneNow, before, editTime) => {
  expect(newerItem('id', place, { phoneNow, before })).toMatchObject({
    edit_time: editTime,
    mutation: { captured_at: new Date(editTime).toISOString() },
  });
});
