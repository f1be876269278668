import { expect, test } from 'vitest';
import { recordedField } from '@tailgate/sync-protocol';
import type { Mutation } from '../../server/web/office/model/stop-record.ts';
import { entriesOf, stateAt, stopAtVersion } from '../../server/web/office/model/stop-record.ts';
import { shownValue } from '../../server/web/office/model/shown-value.ts';
import { inLines } from '../../server/web/office/model/kept-bytes.ts';
import { instantOf } from '../../server/web/office/model/local-time.ts';

const body = (stop: object): string => JSON.stringify({ name: 'stop.update', version: 1, args: { stop } });
const mutation = (id: string, stop: object, version = 1): Mutation => ({
  id,
  version,
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
  const changes = entriesOf(history).map((entry) =>
    entry.changes.map(({ before, after, ...field }) => [recordedField(field), before, after]),
  );
  expect(changes).toEqual([
    [
      ['arrived', null, 'true'],
      ['110020 delivered', null, '16'],
    ],
    [
      ['driver_comments', null, 'Left at the dock.'],
      ['status', null, 'D'],
    ],
    [
      ['driver_comments', 'Left at the dock.', ''],
      ['110020 delivered', '16', '17'],
    ],
  ]);
});

test('the stop as it was at an entry has what was set up to it and with it', () => {
  const state = (id: string) => stateAt(history, id).map(({ value, ...field }) => [recordedField(field), value]);
  expect(state('b')).toEqual([
    ['arrived', 'true'],
    ['110020 delivered', '16'],
    ['driver_comments', 'Left at the dock.'],
    ['status', 'D'],
  ]);
  expect(state('c')).toContainEqual(['110020 delivered', '17']);
});

test('a value that lost against a later edit is none of the stop as it was, and stays in the history as lost', () => {
  const warnings = ['updates.driver_comments', 'status'].map((path) => ({ code: 'superseded', path, message: '' }));
  const late = mutation(
    'late',
    { id: 2, updates: { driver_comments: 'Too late', status: 'S', store_emp_id: 'E7' } },
    2,
  );
  const record = [...history, { ...late, warnings }];
  const state = stateAt(record, 'late').map(({ value, ...field }) => [recordedField(field), value]);
  expect(state).toContainEqual(['driver_comments', '']);
  expect(state).toContainEqual(['status', 'D']);
  expect(state).toContainEqual(['store_emp_id', 'E7']);
  expect(stopAtVersion(record, 2)).toMatchObject({ status: 'D', comment: '' });
  const entry = entriesOf(record).at(-1);
  expect(entry?.changes.map(({ name }) => name)).toEqual(['store_emp_id']);
  expect(entry?.lost.map(({ name, value }) => [name, value])).toEqual([
    ['driver_comments', 'Too late'],
    ['status', 'S'],
  ]);
});

/** As `stop.skip_refuse` records it: beside the key of the stop. */
const skipped = (args: object): Mutation => ({
  ...mutation('s', {}, 3),
  body: JSON.stringify({ name: 'stop.skip_refuse', version: 1, args: { stop_id: 2, ...args } }),
});

test('a skip has its reason and its comment in the history, and its status in the stop as it was', () => {
  const skip = skipped({ status: 'S', skip_refuse_reason_code: '01', skip_refuse_driver_comment: 'Shutters down' });
  const [entry] = entriesOf([skip]);
  expect(entry?.changes.map(({ name, after }) => [name, after])).toEqual([
    ['status', 'S'],
    ['skip_refuse_reason_code', '01'],
    ['skip_refuse_driver_comment', 'Shutters down'],
  ]);
  expect(stopAtVersion([skip], 3).status).toBe('S');
  expect(stopAtVersion([skip], 2).status).toBe('P');
  expect(stopAtVersion([skipped({ type: 'refuse' })], 3).status).toBe('R');
  const later = mutation(
    'd',
    { id: 2, updates: { status: 'D', store_emp_name: 'Ana Gil', driver_comments: 'Door 2' } },
    4,
  );
  expect(stopAtVersion([skip, later], 4)).toEqual({ status: 'D', receivedBy: 'Ana Gil', comment: 'Door 2' });
});

test('times, states, truths and lists of a record are no code for its reader', () => {
  expect(shownValue('end_delivery_time', '2026-11-27T19:07:48.318Z')).toEqual({
    is: 'moment',
    at: '2026-11-27T19:07:48.318Z',
  });
  expect(shownValue('end_delivery_time', 'soon')).toEqual({ is: 'text', text: 'soon' });
  expect(shownValue('status', 'D')).toEqual({ is: 'status', status: 'D' });
  expect(shownValue('accounting_complete', 'true')).toEqual({ is: 'truth', truth: 'yes' });
  expect(shownValue('image_ids', '["1RQ7","ZWQX"]')).toEqual({ is: 'text', text: '1RQ7, ZWQX' });
  for (const text of ['["', '["a",7]', 'D']) expect(shownValue('driver_comments', text)).toEqual({ is: 'text', text });
});

test('exceptions and surplus items of a record are a list; what is no such list stays text', () => {
  const [damaged, late] = [
    { quantity: 2, comment: 'wet', barcodes: '4006' },
    { quantity: 1, comment: null },
  ];
  expect(shownValue('action_osd_data', JSON.stringify([{ osd_code: 10, data: [damaged, late] }]))).toEqual({
    is: 'exceptions',
    exceptions: [
      { code: '10', quantity: '2', barcode: '4006', comment: 'wet' },
      { code: '10', quantity: '1', barcode: '', comment: '' },
    ],
  });
  expect(shownValue('overage_items', '[{"osd_code":"50","quantity":3,"barcode":"77"}]')).toEqual({
    is: 'exceptions',
    exceptions: [{ code: '50', quantity: '3', barcode: '77', comment: '' }],
  });
  expect(
    shownValue('action', '{"updates":{"delivered":4,"osd_data":[{"osd_code":10,"data":[{"quantity":1}]}]}}'),
  ).toEqual({
    is: 'scanned',
    delivered: '4',
    exceptions: [{ code: '10', quantity: '1', barcode: '', comment: '' }],
  });
  for (const text of ['[7]', '[{"osd_code":', '{}']) expect(shownValue('osd_data', text)).toEqual({ is: 'text', text });
  expect(shownValue('driver_comments', '[{"a":1}]')).toEqual({ is: 'text', text: '[{"a":1}]' });
});

test('bytes that are JSON are shown in lines, others as they came', () => {
  expect(inLines('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(inLines('{"a":')).toBeUndefined();
});

test('a time of this computer becomes an instant; a blank one none', () => {
  expect(instantOf('2026-11-24T22:00')).toBe(new Date(2026, 10, 24, 22).toISOString());
  expect(instantOf('')).toBeNull();
});
