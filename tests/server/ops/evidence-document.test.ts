import { globSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { unwitnessedText } from '../../../server/src/ops/evidence/evidence.ts';
import { renderEvidence } from '../../../server/src/ops/evidence/pdf/render.ts';
import { renderInWorker } from '../../../server/src/ops/evidence/pdf/in-worker.ts';
import { shownText } from '../../../server/src/ops/evidence/pdf/shown-text.ts';
import { stopEvidence, type StopReadings } from '../../../server/src/ops/evidence/stop-evidence.ts';
import { jsonHead, packFormat, type Withheld } from '../../../server/verify/src/format.ts';
import { plan } from '../../support/mirror.ts';
import { asset, eventful, planWith, summarized } from '../mail/summarized.ts';
import { fileHere, mutationOf, readingsOf } from './evidence-fixture.ts';
import { readPdf } from './pdf-text.ts';
import { jpeg } from './tiny-jpeg.ts';

interface Wanted {
  readonly without?: readonly Withheld[];
  readonly isWitnessed?: boolean;
  readonly picture?: (asset: string) => Uint8Array | undefined;
  readonly render?: typeof renderEvidence;
}

const documentOf = async (
  readings: StopReadings,
  { without = [], isWitnessed = false, picture, render = renderEvidence }: Wanted = {},
) => {
  const stop = stopEvidence(readings, new Set(without));
  const head = jsonHead({ format: packFormat, scope: {}, without });
  const cover = {
    title: 'Evidence: route R100',
    jsonHead: head,
    contents: [],
    without,
    isWitnessed,
    at: '2026-11-20T16:41:02.250Z',
  };
  const stops = async function* () {
    yield stop;
  };
  return buffer(render(cover, { stops: stops(), picture: async ({ asset_id }) => picture?.(asset_id) }));
};
const pagesOf = async (...args: Parameters<typeof documentOf>) => readPdf(await documentOf(...args));
/** The text without the ends of lines, which depend on widths. */
const textOf = async (...args: Parameters<typeof documentOf>) =>
  (await pagesOf(...args)).pages.join('\n').replaceAll(/\s+/g, ' ');

/** A PNG of one transparent and one black pixel. */
function transparentPng(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 8, 6, 0, 0, 0]);
  const lines = deflateSync(Buffer.from([0, 9, 9, 9, 0, 0, 0, 0, 255]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', lines), chunk('IEND', Buffer.alloc(0))]);
}

describe('the document of a delivery', () => {
  test('says who received what where and when, and names what is missing', async () => {
    const text = await textOf(readingsOf(eventful(), { files: [fileHere(asset(1)), fileHere(asset(2))] }));
    expect(text).toContain('Delivered: Café Söderberg');
    expect(text).toContain('Received by Sam Storekeeper (4711)');
    expect(text).toContain('Started Fri, Nov 20, 2026, 9:58 AM CST');
    expect(text).toContain('Item 0, ITM100000, on 1 pallet 3 2 1 1 short');
    expect(text).toContain('Overage, returned (86) wrong pallet');
    expect(text).toContain('1 of 4 lines have no count.');
    expect(text).toContain('The driver has recorded no position.');
    expect(text).toContain(`Photo 2 (${asset(3)}): It is still on its way.`);
    expect(text).toContain('What this does not prove');
    expect(text).not.toMatch(/legally binding/i);
  });

  test('shows the place of the delivery, and its distance to the customer', async () => {
    // A hundredth of a degree north of the customer: 6,371 km × 0.01 × π / 180.
    const updates = { status: 'D', delivery_latitude: '41.8881', delivery_longitude: '-87.6298' } as const;
    const text = await textOf(readingsOf(summarized({ updates })));
    expect(text).toContain('Position 41.8881, -87.6298: 1112 m from the customer');
    expect(text).not.toContain('The driver has recorded no position.');
    const { customer } = plan(1);
    const coordinates = { latitude: '', longitude: '' };
    const nowhere = planWith({ customer: { ...customer, location: { ...customer.location, coordinates } } });
    expect(await textOf(readingsOf(summarized({ updates }, { plan: nowhere })))).toContain(
      'Position 41.8881, -87.6298: the customer’s coordinates are unknown',
    );
  });

  test('says that no outside witness had signed, and does not where one has', async () => {
    const readings = readingsOf(eventful());
    expect(await textOf(readings)).toContain(unwitnessedText);
    expect(await textOf(readings, { isWitnessed: true })).not.toContain(unwitnessedText);
  });

  test('shows each change with its author, its clocks, its hash and the value before', async () => {
    const dock = { args: { stop: { id: 1, updates: { driver_comments: 'at the dock' } } } };
    const back = { args: { stop: { id: 1, updates: { driver_comments: 'at the back' } } } };
    const clerk = { source: 'office', employee: 'CLERK7', employee_name: '', client_id: null, seq: null } as const;
    const mutations = [mutationOf(1, dock), mutationOf(2, back, clerk)];
    const text = await textOf(readingsOf(eventful(), { history: { mutations } }));
    expect(text).toContain('1. Dana Driver (1001), by phone');
    expect(text).toContain('Phone’s clock 2026-11-20 16:05:30.000 UTC');
    expect(text).toContain('Corrected 2026-11-20 16:05:28.500 UTC');
    expect(text).toContain('Received 2026-11-20 16:41:02.250 UTC');
    expect(text).toContain('2. CLERK7, by office');
    expect(text).toContain('driver comments at the dock at the back');
    const [first] = stopEvidence(readingsOf(eventful(), { history: { mutations } }), new Set()).facts;
    expect(text).toContain(first?.hash);
  });

  test('shows every character: one that the font lacks by its number', async () => {
    const updates = {
      status: 'D',
      store_emp_name: '山田',
      driver_comments: 'Ω \u202Ex soft\u00ADhyphen 👍 שלום',
    } as const;
    const store = planWith({ customer: { ...plan(1).customer, name: '東京 Café' } });
    const text = await textOf(readingsOf(summarized({ updates }, { plan: store })));
    expect(text).toContain('Delivered: [U+6771][U+4EAC] Café');
    expect(text).toContain('[U+5C71][U+7530]');
    expect(text).toContain('Ω [U+202E]x soft[U+00AD]hyphen [U+1F44D] [U+05E9][U+05DC][U+05D5][U+05DD]');
  });

  test('a long name wraps, 40 lines and ten photos go on over pages', async () => {
    const [product] = plan(1).products;
    if (!product) throw new Error('the plan has products');
    const name = 'Distribuidora Internacional de Productos Alimenticios La Esperanza del Norte '.repeat(3).trim();
    const products = Array.from({ length: 40 }, (_, i) => ({ ...product, id: `ITM${200 + i}`, name: `Product ${i}` }));
    const photos = Array.from({ length: 10 }, (_, i) => asset(100 + i));
    const stop = summarized(
      {
        updates: { status: 'D' },
        products: products.map(({ id, invoice, quantity }, i) => ({
          id,
          invoice,
          updates: { delivered: quantity, image_ids: photos.slice(i, i + 1) },
        })),
      },
      { plan: planWith({ products, customer: { ...plan(1).customer, name } }) },
    );
    const readings = readingsOf(stop, { files: photos.map((id) => fileHere(id)) });
    const before = performance.now();
    const { pages, pictures, fonts } = await pagesOf(readings, { picture: () => jpeg });
    process.stdout.write(`evidence of 40 lines and 10 photos: ${Math.round(performance.now() - before)} ms\n`);
    const text = pages.join('\n').replaceAll(/\s+/g, ' ');
    expect(text).toContain(`Delivered: ${name}`);
    for (const { name: item, id } of products) expect(text).toContain(`${item}, ${id}`);
    expect(pictures).toBe(10);
    expect(fonts).toEqual(['NotoSans-Regular', 'NotoSans-Bold']);
    for (const [i, page] of pages.entries()) expect(page).toContain(`Page ${i + 1}\n`);
  });

  test('equal content has equal bytes, also from the thread of its own', async () => {
    const readings = readingsOf(eventful(), { files: [fileHere(asset(1)), fileHere(asset(2))] });
    const [once, again, apart] = await Promise.all([
      documentOf(readings, { picture: () => jpeg }),
      documentOf(readings, { picture: () => jpeg }),
      documentOf(readings, { picture: () => jpeg, render: renderInWorker }),
    ]);
    expect(once.equals(again)).toBe(true);
    expect(once.equals(apart)).toBe(true);
  });
});

describe('the document of a stop without a delivery', () => {
  const skip = { skip_refuse_timestamp: '2026-11-20T16:05:00Z', skip_refuse_driver_comment: 'Nobody opened' };

  test('says so for a skip, with its reason', async () => {
    const text = await textOf(
      readingsOf(summarized({ updates: { status: 'S', skip_refuse_reason_code: '12', ...skip } })),
    );
    expect(text).toContain('Nothing was delivered: the driver skipped the stop.');
    expect(text).toContain('Reason Damaged on arrival (12)');
    expect(text).toContain('Nobody opened');
    expect(text).not.toContain('no signature');
  });

  const evidenceOf = (update: Parameters<typeof summarized>[0]) =>
    stopEvidence(readingsOf(summarized(update)), new Set());

  test('says so for a refusal, and that its reason is missing', () => {
    const { nothing_delivered, missing } = evidenceOf({ updates: { status: 'R', ...skip } });
    expect(nothing_delivered).toBe('Nothing was delivered: the store refused the delivery.');
    // The readings have no change.
    expect(missing.map(({ part }) => part)).toEqual(['reason', 'position', 'record']);
  });

  test('says so for a stop without a record, and for counts of 0', () => {
    const { nothing_delivered, missing } = evidenceOf({});
    expect(nothing_delivered).toBe('Nothing was delivered: the record has no delivery, no skip and no refusal.');
    expect(missing.map(({ part }) => part)).toEqual(['delivery', 'receiver', 'signature']);
    const zero = { id: 'ITM100000', invoice: 'INV1', updates: { delivered: 0 } };
    const none = evidenceOf({ updates: { status: 'D' }, products: [zero] });
    expect(none.nothing_delivered).toBe('Nothing was delivered: every recorded count is 0.');
  });
});

describe('pictures in the document', () => {
  const readings = readingsOf(eventful(), { files: [1, 2, 3, 4].map((n) => fileHere(asset(n))) });

  test('a transparent PNG shows on white', async () => {
    const shown = await pagesOf(readings, { picture: () => transparentPng() });
    expect(shown.pictures).toBe(4);
  });

  test('a damaged one is named with the reason, and the document is whole', async () => {
    const bytes = [transparentPng().subarray(0, 52), jpeg.subarray(0, 60), Buffer.from('no picture'), Buffer.alloc(0)];
    const text = await textOf(readings, { picture: (id) => bytes[Number(id) - 1] });
    expect(text.match(/Not shown: /g)).toHaveLength(4);
    expect(text).toContain('Not shown: it is cut off.');
    expect(text).toContain('How to check');
  });

  test('a PNG with more pixels than memory is refused by its head', async () => {
    const bomb = transparentPng();
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    expect(await textOf(readings, { picture: () => bomb })).toContain('Not shown: it has more than 8 megapixels.');
  });
});

test('a document without names and photos has hashes in their place', async () => {
  const mutations = [mutationOf(1, { args: { stop: { id: 1, updates: { store_emp_name: 'Sam Storekeeper' } } } })];
  const readings = readingsOf(eventful(), { history: { mutations }, files: [fileHere(asset(1)), fileHere(asset(2))] });
  const { pages, pictures } = await pagesOf(readings, { without: ['names', 'photos'], picture: () => jpeg });
  const text = pages.join('\n').replaceAll(/\s+/g, ' ');
  for (const personal of ['Sam Storekeeper', 'Dana Driver', 'Left at the dock', 'wrong pallet', 'Pixel 8'])
    expect(text).not.toContain(personal);
  expect(text).toContain('Received by [withheld]');
  expect(text).toContain('This document leaves out on request: names, photos.');
  for (const { sha256 } of readings.files) expect(text).toContain(sha256);
  expect(pictures).toBe(0);
});

describe('a text for a font', () => {
  const latin = (codePoint: number): boolean => codePoint < 0x250 && codePoint >= 0x20;

  test('keeps lines, and marks controls, turns and unknown characters', () => {
    expect(shownText('a\tb\r\nc\u0000\u202E', latin)).toBe('a b\nc[U+0000][U+202E]');
    expect(shownText('\u{1F600}é\uD800', latin)).toBe('[U+1F600]é[U+D800]');
  });
});

test('no text about evidence claims more than evidence, in either language', () => {
  const root = new URL('../../../', import.meta.url);
  const wordsOf = (folder: string) => globSync(`server/${folder}/**/*.{ts,tsx}`, { cwd: root });
  const folders = [
    'src/ops/evidence',
    'verify/src',
    'web/evidence',
    'web/verify',
    'web/office/words',
    'web/driver/words',
  ];
  const files = ['docs/evidence.md', 'server/verify/README.md', 'server/verify/package.json'];
  for (const folder of folders) {
    const found = wordsOf(folder);
    expect([folder, found.length > 0]).toEqual([folder, true]);
    files.push(...found);
  }
  const claim = /legally.binding|legalmente vinculante|tamper.?proof|a prueba de manipul|guarantee|garantiz/i;
  for (const file of files) {
    const text = readFileSync(new URL(file, root), 'utf8').replaceAll(/\s+/g, ' ');
    expect([file, claim.exec(text)?.[0]]).toEqual([file, undefined]);
  }
});
