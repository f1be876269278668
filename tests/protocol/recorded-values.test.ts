import { changesOf, recordedField, recordedValues } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';

const fields = (body: string) => recordedValues(body).map(({ value, ...where }) => [recordedField(where), value]);
const bodyOf = (name: string, args: object): string => JSON.stringify({ name, version: 1, args });
const route = { facility: 'F01', id: 'R1', week_end: '20261128' };

test('an update has the fields of its stop and of its lines, with the invoices that it names', () => {
  const stop = {
    id: 2,
    arrived: true,
    updates: { driver_comments: 'side door', signature_id: null },
    products: [{ id: '110020', invoice: 'INV1', updates: { delivered: 16, image_ids: ['A', 'B'] } }],
    collections: [{ id: 'TOTE', updates: { returned: 3 }, action: { type: 'scan' } }],
  };
  expect(fields(bodyOf('stop.update', { route, stop, device_times: ['end_delivery_time'] }))).toEqual([
    ['arrived', 'true'],
    ['driver_comments', 'side door'],
    ['signature_id', ''],
    ['110020 INV1 delivered', '16'],
    ['110020 INV1 image_ids', '["A","B"]'],
    ['TOTE returned', '3'],
    ['TOTE action', '{"type":"scan"}'],
  ]);
});

test('a skip has its fields beside the key of its stop', () => {
  const args = { route, stop_id: 2, status: 'S', skip_refuse_reason_code: '01' };
  expect(fields(bodyOf('stop.skip_refuse', args))).toEqual([
    ['status', 'S'],
    ['skip_refuse_reason_code', '01'],
  ]);
});

test('each change has the value that it replaces', () => {
  const bodies = ['first', 'second'].map((text) =>
    bodyOf('stop.update', { route, stop: { id: 1, updates: { driver_comments: text } } }),
  );
  const where = { item: '', invoice: '', name: 'driver_comments' };
  expect(changesOf(bodies)).toEqual([
    [{ ...where, before: null, after: 'first' }],
    [{ ...where, before: 'first', after: 'second' }],
  ]);
});

test.each(['', 'no JSON', '7', '[]', '{"args":null}', '{"args":{"stop":[]}}', '{"args":{"stop":{"products":7}}}'])(
  'a body of another form sets nothing: %s',
  (body) => {
    expect(recordedValues(body)).toEqual([]);
  },
);
