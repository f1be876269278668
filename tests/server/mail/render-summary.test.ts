import type { StopObjectInput, StopResult } from '@tailgate/sync-protocol';
import { applyStopUpdate, stopObject } from '@tailgate/sync-protocol';
import { describe, expect, it } from 'vitest';
import type { SummarizedStop } from '../../../server/src/mail/delivery-summary.ts';
import { renderSummary } from '../../../server/src/mail/render-summary.ts';
import { plan } from '../../support/mirror.ts';

const stamp = { at: 1, client: 'rest', seq: 1, by: '1001' };
const resultOf = (update: Omit<StopObjectInput, 'id'>): StopResult =>
  applyStopUpdate({ status: 'P' }, stopObject.parse({ id: 1, ...update }), stamp).result;

const summarized = (update: Omit<StopObjectInput, 'id'>, more: Partial<SummarizedStop> = {}): SummarizedStop => ({
  route: { facility: 'F01', id: 'R100', week_end: '20261121', name: 'North' },
  plan: plan(1),
  result: resultOf(update),
  zone: 'America/Chicago',
  drivers: { 1001: 'Dana Driver' },
  reason: (type, code) => (code === '12' ? 'Closed' : code === '10' && type === 'credit-reason' ? 'Damaged' : ''),
  ...more,
});

/** What a row of the HTML tables shows. */
function rowsOf(html: string): string[][] {
  return [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell),
  );
}

describe('the summary of a delivered stop', () => {
  const line = plan(1).products[0]!;
  const stop = summarized({
    updates: {
      status: 'D',
      start_delivery_time: '2026-11-20T15:58:00Z',
      end_delivery_time: '2026-11-20T16:05:00Z',
      delivered_by_driver_id: '1001',
      store_emp_name: 'Sam Storekeeper',
      driver_comments: 'first line\nsecond line',
      overage_items: [{ barcode: '0042', osd_code: '86', quantity: 1, comment: '' }],
    },
    products: [
      {
        id: line.id,
        invoice: line.invoice,
        updates: {
          delivered: 2,
          returned: 1,
          osd_data: [{ osd_code: 10, data: [{ quantity: 1, quantity_type: 'cases', comment: 'wet' }] }],
        },
      },
      { id: 'EXTRA', invoice: 'INV1', updates: { delivered: 1 } },
    ],
    collections: [{ id: 'TOTE', updates: { returned: 4 } }],
  });

  it('says who, where and when, on the facility’s clock', () => {
    const rows = rowsOf(renderSummary(stop).html);
    expect(rows).toEqual(
      expect.arrayContaining([
        ['Customer', 'Müller Market 1, C1'],
        ['Address', '1 Main St, Chicago, IL 60601'],
        ['Route', 'R100, North'],
        ['Status', 'delivered'],
        ['Started', 'Fri, Nov 20, 2026, 9:58 AM CST'],
        ['Finished', 'Fri, Nov 20, 2026, 10:05 AM CST'],
        ['Driver', 'Dana Driver'],
        ['Received by', 'Sam Storekeeper'],
      ]),
    );
  });

  it('lists the manifest with what was recorded, and what came beyond it; what nobody counted is blank, not zero', () => {
    const rows = rowsOf(renderSummary(stop).html);
    expect(rows).toEqual(
      expect.arrayContaining([
        ['Item 0', 'INV1', '3', '2', '1'],
        ['Item 31', 'INV1', '4', '', ''],
        ['EXTRA', 'INV1', '', '1', ''],
        ['TOTE', '2', '4'],
        ['PALLET', '2', ''],
      ]),
    );
  });

  it('lists exceptions with their reasons', () => {
    const rows = rowsOf(renderSummary(stop).html);
    expect(rows).toEqual(
      expect.arrayContaining([
        ['Item 0', '10 Damaged', '1 cases', 'wet'],
        ['Not ordered: 0042', '86', '1', ''],
      ]),
    );
  });

  it('says the same in plain text', () => {
    const { text } = renderSummary(stop);
    expect(text).toContain('Müller Market 1: delivered\n');
    expect(text).toContain('Comment      first line\n             second line\n');
    expect(text).toContain('- Item 0, invoice INV1, ordered 3, delivered 2, returned 1\n');
    expect(text).toContain('- Item 0, reason 10 Damaged, quantity 1 cases, comment wet\n');
  });
});

describe('a summary', () => {
  it('gives the reason of a stop that was skipped', () => {
    const update = { updates: { status: 'S' as const, skip_refuse_reason_code: '12' } };
    expect(rowsOf(renderSummary(summarized(update)).html)).toContainEqual(['Reason', '12 Closed']);
  });

  it('holds no markup of a customer or a driver', () => {
    const evil = `<script>alert('x')</script>"&`;
    const stop = summarized({ updates: { status: 'D', driver_comments: evil } });
    const customer = { ...stop.plan.customer, name: evil };
    const { html } = renderSummary({ ...stop, plan: { ...stop.plan, customer } });
    expect(html).not.toContain('<script');
    expect(html).toContain('&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#34;&#38;');
  });

  it('has one line for a subject, whatever a name holds', () => {
    const stop = summarized({ updates: { status: 'D' } });
    const customer = { ...stop.plan.customer, name: 'Market\r\nBcc: all@x.example' };
    const { subject } = renderSummary({ ...stop, plan: { ...stop.plan, customer } });
    expect(subject).toBe('Stop delivered: Market Bcc: all@x.example, route R100');
  });

  it('tells UTC and says so where the facility’s zone is unknown', () => {
    const stop = summarized(
      { updates: { status: 'D', end_delivery_time: '2026-11-20T16:05:00Z' } },
      { zone: 'Mars/X' },
    );
    expect(renderSummary(stop).text).toContain('Fri, Nov 20, 2026, 4:05 PM UTC');
  });
});
