import { InvalidChange } from '@tailgate/client-sdk';
import { codeListOf, english, labelOf, spanish } from '@tailgate/client-sdk/labels';
import { recordLoadReport } from '@tailgate/client-sdk/reports';
import { sampleKey } from '@tailgate/client-sdk/testing';
import {
  applyStopUpdate,
  lineResult,
  lineUpdate,
  loadConditionReport,
  osdEntry,
  osdGroup,
  overageItem,
  referenceCode,
  reportSection,
  routeKey,
  skipRefuseArgs,
  stopObject,
  stopUpdates,
} from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device } from '../support/sdk-device.ts';

describe('a path in words', () => {
  test.each([
    ['status', 'Status', 'Estado'],
    ['updates.signature_id', 'Signature', 'Firma'],
    [
      'products.ITEM1\tINV1\t0.delivered',
      'Item ITEM1, invoice INV1: Delivered',
      'Artículo ITEM1, factura INV1: Entregado',
    ],
    ['products.A.1\t\t1.image_ids', 'Item A.1, line 2: Photos', 'Artículo A.1, línea 2: Fotos'],
    ['products.0.updates.osd_data.1.osd_code', 'Item 1, exception 2: Reason', 'Artículo 1, incidencia 2: Motivo'],
    [
      'collections.2.action.updates.osd_data.0.data.1.quantity',
      'Collected item 3, scanned exception 1, entry 2: Quantity',
      'Artículo recogido 3, incidencia escaneada 1, entrada 2: Cantidad',
    ],
    ['products.3', 'Item 4', 'Artículo 4'],
    ['products.3.action.type', 'Item 4: Action', 'Artículo 4: Acción'],
    ['updates.osd_emails.0', 'E-mail address 1', 'Dirección de correo 1'],
    ['sections.0.rating', 'Section 1: Rating', 'Sección 1: Valoración'],
    ['route.facility', 'Facility', 'Centro'],
    ['route', 'Route', 'Ruta'],
    ['', 'Change', 'Cambio'],
  ])('%j', (path, inEnglish, inSpanish) => {
    expect([labelOf(path), labelOf(path, spanish)]).toEqual([inEnglish, inSpanish]);
  });

  test('uses words of the app, and shows an unknown name unchanged', () => {
    expect(labelOf('updates.driver_comments', { ...english, driver_comments: 'Note' })).toBe('Note');
    expect(labelOf('updates.left_at_dock')).toBe('left at dock');
    expect(labelOf('updates.constructor')).toBe('constructor');
    expect(labelOf('crates.1.weight')).toBe('crates 2: weight');
  });

  test('every field that a driver can record has a word in each language', () => {
    const schemas = [
      ...[stopObject, stopUpdates, lineUpdate, osdGroup, osdEntry, overageItem, skipRefuseArgs, routeKey],
      ...[loadConditionReport, reportSection],
    ];
    const names = new Set([...schemas.flatMap(({ shape }) => Object.keys(shape)), ...Object.keys(lineResult.shape)]);
    // Parts of a line's key, and names that a path skips.
    for (const name of ['n', 'updates']) names.delete(name);
    for (const labels of [english, spanish])
      expect([...names].filter((name) => !Object.hasOwn(labels, name))).toEqual([]);
    expect(Object.values(spanish).filter((word) => word.trim() === '')).toEqual([]);
  });

  test('conflicts have words: each path that lost', () => {
    const stop = {
      id: 1,
      arrived: true,
      updates: { status: 'D', driver_comments: 'x', overage_items: [{ osd_code: 85 }] },
      products: [{ id: 'ITEM1', invoice: 'INV1', updates: { delivered: 1, osd_data: [] }, action: { type: 'scan' } }],
    };
    const first = stopObject.parse(stop);
    const other = stopObject.parse({ ...stop, arrived: true, updates: { status: 'R', driver_comments: 'y' } });
    const stored = applyStopUpdate({ status: 'P' }, first, { at: 2, client: 'a', seq: 1, by: '1' }).result;
    const { remarks } = applyStopUpdate(stored, other, { at: 1, client: 'b', seq: 1, by: '2' });
    expect(remarks.map(({ path }) => labelOf(path))).toEqual(['Status', 'Driver’s comment']);
  });

  test('refusals have words: the paths of InvalidChange', async () => {
    const client = await new Device((await startScriptedServer()).url).startSignedIn();
    const refused = (record: () => unknown): string[] => {
      try {
        record();
        return [];
      } catch (error) {
        if (!(error instanceof InvalidChange)) throw error;
        return error.details.map(({ path }) => labelOf(path));
      }
    };
    const products = [{ id: 'ITEM1', updates: { osd_data: [{ osd_code: 'too long', data: [] }] } }];
    expect(refused(() => client.updateStop(sampleKey, { id: 1, products }))).toEqual(['Item 1, exception 1: Reason']);
    const times = { reportId: 'LR1', loadId: 'L1', stopId: '1', driverId: '1001', capturedAt: 'noon' };
    expect(refused(() => recordLoadReport(client, { ...times, sections: [] }))).toEqual(['Time']);
  });
});

test('each field with a code names its list', () => {
  const paths = [
    'updates.skip_refuse_reason_code',
    'products.0.updates.osd_data.0.osd_code',
    'container_type',
    'section',
  ];
  expect(paths.map(codeListOf)).toEqual(['stop-exception', 'credit-reason', 'container-type', 'section']);
  expect(codeListOf('updates.overage_items.0.osd_code')).toBe('credit-reason');
  expect(codeListOf('trailer_area')).toBe('trailer-area');
  expect(['updates.followup_reason_code', 'updates.toString', ''].map(codeListOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const lists: readonly string[] = referenceCode.shape.type.options;
  expect(paths.map(codeListOf).every((list) => list !== undefined && lists.includes(list))).toBe(true);
});
