import { expect, test } from 'vitest';
import type { Mutation } from '../../server/web/office/model/stop-record.ts';
import { entriesOf, stateAt, valuesOf } from '../../server/web/office/model/stop-record.ts';
import { inLines } from '../../server/web/office/model/kept-bytes.ts';
import { instantOf } from '../../server/web/office/model/local-time.ts';

const body = (stop: object): string => JSON.stringify({ name: 'stop.update', version: 1, args: { stop } });
const mutation = (id: string, stop: object): Mutation => ({
  id,
  version: 1,
  source: 'sync',
  result: 'applied',
  employee: '1001',
  employee_name: 'Marcus Bell',
  client_id: null,
  seq: null,
  device: '',
  app: '',
  captured_at: null,
  edit_time: '2026-11-24T08:54:12.000Z',
  received_at: '2026-11-24T08:54:12.000Z',
  on_host: true,
  warnings: [],
  body: body(stop),
});

const history = [
  mutation('a', { id: 2, arrived: true, products: [{ id: '110020', updates: { delivered: 16 } }] }),
  mutation('b', { id: 2, updates: { driver_comments: 'Left at the dock.', status: 'D' } }),
  mutation('c', { id: 2, products: [{ id: '110020', updates: { delivered: 17 } }], updates: { driver_comments: '' } }),
];

test('each entry has what it changed, with the value before it where the history has one', () => {
  expect(entriesOf(history).map(({ changes }) => changes)).toEqual([
    [
      { field: 'arrived', before: undefined, after: 'true' },
      { field: '110020 delivered', before: undefined, after: '16' },
    ],
    [
      { field: 'driver_comments', before: undefined, after: 'Left at the dock.' },
      { field: 'status', before: undefined, after: 'D' },
    ],
    [
      { field: 'driver_comments', before: 'Left at the dock.', after: '' },
      { field: '110020 delivered', before: '16', after: '17' },
    ],
  ]);
});

test('the stop as it was at an entry has what was set up to it and with it', () => {
  expect([...stateAt(history, 'b')]).toEqual([
    ['arrived', 'true'],
    ['110020 delivered', '16'],
    ['driver_comments', 'Left at the dock.'],
    ['status', 'D'],
  ]);
  expect(stateAt(history, 'c').get('110020 delivered')).toBe('17');
});

test.each(['', 'no JSON', '7', '[]', '{"args":null}', '{"args":{"stop":[]}}', '{"args":{"stop":{"products":7}}}'])(
  'a body of another form sets nothing: %s',
  (text) => {
    expect([...valuesOf(text)].filter(([field]) => field !== 'products')).toEqual([]);
  },
);

test('bytes that are JSON are shown in lines, others as they came', () => {
  expect(inLines('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(inLines('{"a":')).toBeUndefined();
});

test('a time of this computer becomes an instant; a blank one none', () => {
  expect(instantOf('2026-11-24T22:00')).toBe(new Date(2026, 10, 24, 22).toISOString());
  expect(instantOf('')).toBeNull();
});
