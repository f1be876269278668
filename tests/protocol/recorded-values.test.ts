import {
  applyStopUpdate,
  changesOf,
  lostValues,
  recordedField,
  recordedValues,
  stopObject,
  withPlannedInvoices,
} from '@tailgate/sync-protocol';
import fc from 'fast-check';
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
  const recorded = ['first', 'second'].map((text) => ({
    body: bodyOf('stop.update', { route, stop: { id: 1, updates: { driver_comments: text } } }),
    warnings: [],
  }));
  const where = { item: '', invoice: '', name: 'driver_comments' };
  expect(changesOf(recorded)).toEqual([
    [{ ...where, before: null, after: 'first' }],
    [{ ...where, before: 'first', after: 'second' }],
  ]);
});

test('values that a warning names as not applied are none of a change, and no later one replaces them', () => {
  const lines = [
    { id: 'A', updates: { delivered: 1, image_ids: ['P'] } },
    { id: 'B', invoice: 'I1', updates: { delivered: 2, returned: 1 }, action: { type: 'scan' } },
    { id: 'B', invoice: 'I1', updates: { delivered: 3, osd_data: [] } },
    { id: 'C', updates: { delivered: 4 } },
  ];
  const updates = { status: 'P', driver_comments: 'late', store_emp_id: 'E7' };
  const body = bodyOf('stop.update', { route, stop: { id: 2, updates, products: lines } });
  const warnings = [
    { code: 'status_ignored', path: 'updates.status' },
    { code: 'superseded', path: 'updates.driver_comments' },
    // The invoice that the server has found for the line.
    { code: 'superseded', path: 'products.A\tI9\t0.delivered' },
    { code: 'superseded', path: 'products.B\tI1\t0.returned' },
    { code: 'superseded', path: 'products.B\tI1\t0.action_type' },
    { code: 'too_many_lines', path: 'products.2.updates' },
    { code: 'too_many_lines', path: 'products.3' },
    { code: 'over_delivered', path: 'updates.store_emp_id' },
  ];
  expect(recordedValues(body, warnings).map(({ value, ...where }) => [recordedField(where), value])).toEqual([
    ['store_emp_id', 'E7'],
    ['A image_ids', '["P"]'],
    ['B I1 delivered', '3'],
  ]);
  const later = bodyOf('stop.update', { route, stop: { id: 2, updates: { driver_comments: 'early' } } });
  const [, second] = changesOf([
    { body, warnings },
    { body: later, warnings: [] },
  ]);
  expect(second).toMatchObject([{ name: 'driver_comments', before: null, after: 'early' }]);
  const skip = bodyOf('stop.skip_refuse', { route, stop_id: 2, type: 'skip' });
  expect(recordedValues(skip, [{ code: 'superseded', path: 'status' }])).toEqual([]);
});

const superseded = (...paths: string[]) => paths.map((path) => ({ code: 'superseded', path }));
/** The values of an update with these lines: applied ones, lost ones, and those that are one or the other. */
const fatesIn = (lines: { readonly products?: object[]; readonly collections?: object[] }, warnings: Remarked[]) => {
  const body = bodyOf('stop.update', { route, stop: { id: 1, ...lines } });
  const lost = lostValues(body, warnings);
  const shown = ({ name, value }: { name: string; value: string }) => `${name} ${value}`;
  return {
    applied: recordedValues(body, warnings).map(shown),
    lost: lost.filter(({ isSure }) => isSure).map(shown),
    unclear: lost.filter(({ isSure }) => !isSure).map(shown),
  };
};
type Remarked = ReturnType<typeof superseded>[number];
const fatesOf = (collections: object[], ...paths: string[]) => fatesIn({ collections }, superseded(...paths));

test('of an action, each member counts by itself', () => {
  const action = { type: 'scan', quantity: 3, updates: { delivered: 2, osd_data: [] }, item_name: 'tote' };
  const paths = ['action_type', 'action_osd_data'].map((name) => `collections.A\tI1\t0.${name}`);
  expect(fatesOf([{ id: 'A', action }], ...paths)).toEqual({
    applied: ['action {"quantity":3,"item_name":"tote","updates":{"delivered":2}}'],
    lost: ['action {"type":"scan","updates":{"osd_data":[]}}'],
    unclear: [],
  });
});

test('lines of one item whose invoices the server has found have their warnings in the order of lines', () => {
  const lines = [1, 2].map((returned) => ({
    id: 'A',
    invoice: `X${returned}`,
    updates: { returned, delivered: returned },
  }));
  const paths = ['collections.A\tI1\t0.returned', 'collections.A\tI2\t0.delivered'];
  expect(fatesOf(lines, ...paths)).toEqual({
    applied: ['delivered 1', 'returned 2'],
    lost: ['returned 1', 'delivered 2'],
    unclear: [],
  });
});

test('where a warning may mean one of several lines, none of them counts as applied', () => {
  const lines = [1, 2].map((returned) => ({
    id: 'A',
    invoice: `X${returned}`,
    updates: { returned, delivered: returned },
  }));
  expect(fatesOf(lines, 'collections.A\tI1\t0.returned')).toEqual({
    applied: ['delivered 1', 'delivered 2'],
    lost: [],
    unclear: ['returned 1', 'returned 2'],
  });
});

test('each lost value of equal lines is there', () => {
  const collections = [1, 2].map((returned) => ({ id: 'A', updates: { returned } }));
  const warnings = [0, 1].map((at) => ({ code: 'too_many_lines', path: `collections.${at}` }));
  expect(fatesIn({ collections }, warnings).lost).toEqual(['returned 1', 'returned 2']);
});

test('a key of several lines without an invoice may mean each of them', () => {
  // The plan has the item once, so the server gives the first line its invoice, and the second one the first blank key.
  const lines = [{ returned: 1 }, { returned: 2 }].map((updates) => ({ id: 'A', updates }));
  expect(fatesOf(lines, 'collections.A\t\t0.returned')).toEqual({
    applied: [],
    lost: [],
    unclear: ['returned 1', 'returned 2'],
  });
  expect(fatesOf(lines, 'collections.A\tI1\t0.returned', 'collections.A\t\t0.returned')).toEqual({
    applied: [],
    lost: ['returned 1', 'returned 2'],
    unclear: [],
  });
});

test('a product with an invoice keeps it, so another key means a product without one', () => {
  const named = { id: 'A', invoice: 'I1', updates: { delivered: 5 } };
  const blank = { id: 'A', updates: { delivered: 3 } };
  for (const products of [
    [named, blank],
    [blank, named],
  ]) {
    expect(fatesIn({ products }, superseded('products.A\tI2\t0.delivered'))).toEqual({
      applied: ['delivered 5'],
      lost: ['delivered 3'],
      unclear: [],
    });
    expect(fatesIn({ products }, superseded('products.A\tI1\t0.delivered'))).toEqual({
      applied: ['delivered 3'],
      lost: ['delivered 5'],
      unclear: [],
    });
  }
});

test('a key that no product can have comes from v20, which replaces invoices, too', () => {
  const products = ['X1', 'X2'].map((invoice, i) => ({ id: 'A', invoice, updates: { delivered: i } }));
  expect(fatesIn({ products }, superseded('products.A\tI1\t0.delivered'))).toEqual({
    applied: [],
    lost: [],
    unclear: ['delivered 0', 'delivered 1'],
  });
});

test('no warning means a line without values, or one that is left out whole', () => {
  const products = [
    { id: 'A', updates: {} },
    { id: 'A', updates: { delivered: 1 } },
    { id: 'A', updates: { delivered: 2 } },
  ];
  const warnings = [...superseded('products.A\tI1\t0.delivered'), { code: 'too_many_lines', path: 'products.2' }];
  expect(fatesIn({ products }, warnings)).toEqual({
    applied: [],
    lost: ['delivered 1', 'delivered 2'],
    unclear: [],
  });
});

test('a warning between two others means a line between theirs', () => {
  const lines = ['I1', 'X1', 'X2', 'I2'].map((invoice, i) => ({ id: 'A', invoice, updates: { returned: i } }));
  const paths = ['I1', 'I3', 'I2'].map((invoice) => `collections.A\t${invoice}\t0.returned`);
  expect(fatesOf(lines, ...paths)).toEqual({
    applied: [],
    lost: ['returned 0', 'returned 3'],
    unclear: ['returned 1', 'returned 2'],
  });
});

test('a value that counts as applied is so, and one that is surely lost is lost, wherever the server places lines', () => {
  const line = fc.record({
    invoice: fc.constantFrom('', 'I1', 'I2', 'X'),
    hasValue: fc.boolean(),
    isOverruled: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.constantFrom('products', 'collections'),
      fc.subarray(['I1', 'I2', 'I3']),
      fc.array(line, { maxLength: 5 }),
      (kind, planned, lines) => {
        const sent = {
          id: 1,
          [kind]: lines.map(({ invoice, hasValue }, i) => ({
            id: 'A',
            invoice,
            ...(hasValue && { updates: { returned: i } }),
          })),
        };
        const placed = withPlannedInvoices(stopObject.parse(sent), () => planned);
        const overruling = (placed[kind] ?? []).map((each, i) => ({
          ...each,
          updates: lines[i]?.isOverruled ? { returned: 99 } : {},
        }));
        const at = (time: number) => ({ by: 'E1', at: time, client: 'C', seq: time });
        const before = applyStopUpdate({ status: 'P' }, { id: 1, [kind]: overruling }, at(2)).result;
        const { remarks } = applyStopUpdate(before, placed, at(1));
        const body = bodyOf('stop.update', { route, stop: sent });
        const lostAt = lines.flatMap(({ hasValue, isOverruled }, i) => (hasValue && isOverruled ? [String(i)] : []));
        const lost = lostValues(body, remarks);
        const sure = lost.filter(({ isSure }) => isSure).map(({ value }) => value);
        expect(lostAt).toEqual(expect.arrayContaining(sure));
        expect(lost.map(({ value }) => value)).toEqual(expect.arrayContaining(lostAt));
      },
    ),
    { numRuns: 1000 },
  );
});

test.each(['', 'no JSON', '7', '[]', '{"args":null}', '{"args":{"stop":[]}}', '{"args":{"stop":{"products":7}}}'])(
  'a body of another form sets nothing: %s',
  (body) => {
    expect(recordedValues(body)).toEqual([]);
  },
);
