import type { Stamp, StopObject, StopResult } from '@tailgate/sync-protocol';
import {
  applyOfficeUpdate,
  applyStopUpdate,
  officeEdits,
  officeSource,
  restoredAuthor,
  valueAt,
} from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';

const driver = (at: number): Stamp => ({ at, client: '0197b2c4-5d6e-4f70-8a91-b2c3d4e5f607', seq: at, by: '1001' });
const office = (at: number, by = 'CLERK1'): Stamp => ({ at, client: officeSource, seq: at, by });
const edited = (before: StopResult, stop: Omit<StopObject, 'id'>, stamp: Stamp): StopResult =>
  applyOfficeUpdate(before, { id: 7, ...stop }, stamp).result;

const delivered = applyStopUpdate(
  { status: 'P' },
  {
    id: 7,
    updates: { status: 'D', driver_comments: 'dock' },
    products: [{ id: 'A.1', invoice: 'I', updates: { delivered: 3 } }],
  },
  driver(10),
).result;

test('the app learns author and time of each field that the office wrote, and of no field that a driver wrote', () => {
  const after = edited(
    delivered,
    {
      updates: { status: 'P', store_emp_name: 'Kim' },
      products: [{ id: 'A.1', invoice: 'I', updates: { delivered: 4 } }],
    },
    office(20),
  );
  expect(officeEdits(after)).toEqual([
    { path: 'status', value: 'P', by: 'CLERK1', at: 20 },
    { path: 'updates.store_emp_name', value: 'Kim', by: 'CLERK1', at: 20 },
    { path: 'products.A.1\tI\t0.delivered', value: 4, by: 'CLERK1', at: 20 },
  ]);
  expect(officeEdits(delivered)).toEqual([]);
});

test('a later edit by a driver replaces the office as the field’s author', () => {
  const after = applyStopUpdate(
    edited(delivered, { updates: { driver_comments: 'gate' } }, office(20)),
    { id: 7, updates: { driver_comments: 'yard' } },
    driver(30),
  );
  expect(officeEdits(after.result)).toEqual([]);
});

test('values from the first sight of the route or from a restored server have no author', () => {
  for (const by of ['', restoredAuthor])
    expect(officeEdits(edited({ status: 'P' }, { arrived: true, updates: { status: 'D' } }, office(5, by)))).toEqual(
      [],
    );
});

test('a field is read by its path; a field without a writer yields nothing', () => {
  expect(valueAt(delivered, 'products.A.1\tI\t0.delivered')).toBe(3);
  expect(valueAt(delivered, 'updates.driver_comments')).toBe('dock');
  for (const path of ['arrived', 'updates.signature_id', 'collections.A.1\tI\t0.returned', 'unknown'])
    expect(valueAt(delivered, path)).toBeUndefined();
});
