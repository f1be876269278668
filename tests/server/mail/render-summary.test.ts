import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SummarizedStop } from '../../../server/src/mail/delivery-summary.ts';
import { plan } from '../../support/mirror.ts';
import { asset, eventful, planWith, rendered, summarized } from './summarized.ts';

/** The cells of a row of the tables. */
const rowsOf = (html: string): string[][] =>
  [...html.replaceAll(/<!--.*?-->/gs, '').matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
      cell
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  );

describe('the summary of a delivered stop (contract §4, E-mail)', () => {
  const { subject, html, text } = rendered(eventful());
  const rows = rowsOf(html);

  it('has the outcome in its subject and first sentence', () => {
    expect(subject).toBe('Delivered with exceptions: Café Söderberg, route R100, stop 1');
    const lead = 'Delivered on Fri, Nov 20, 2026, 10:05 AM CST. Received by Sam Storekeeper. 4 exceptions.';
    expect(html).toContain(lead);
    expect(text.startsWith(`Café Söderberg\n${lead}\n`)).toBe(true);
  });

  it('has people, place and times, on the facility’s clock', () => {
    expect(rows).toEqual(
      expect.arrayContaining([
        ['Received by', 'Sam Storekeeper (4711)'],
        ['Started', 'Fri, Nov 20, 2026, 9:58 AM CST'],
        ['Finished', 'Fri, Nov 20, 2026, 10:05 AM CST'],
        ['Customer', 'Café Söderberg (C1)'],
        ['Address', '1 Main St Chicago, IL 60601'],
        ['Invoice', 'INV1, 2026-11-20'],
        ['Route', 'R100, stop 1 North'],
        ['Driver', 'Dana Driver'],
      ]),
    );
    expect(html).toContain('Times: Central Time, America/Chicago.');
    expect(html).toContain('Sam Rep, 312-555-0199');
  });

  it('lists the manifest by invoice with its records, and records beyond it; uncounted is not zero', () => {
    expect(rows).toEqual(
      expect.arrayContaining([
        ['Item 0 ITM100000 · 1 short · on 1 pallet', '3', '2', '1'],
        ['Item 31 ITM107919', '4', '–', '–'],
        ['Item 62 ITM115838', '5', '5', '–'],
        ['Invoice INV2'],
        ['EXTRA not on the order', '–', '1', '–'],
        ['TOTE', '2', '4'],
        ['PALLET', '2', '–'],
      ]),
    );
  });

  it('lists exceptions by line with the meanings of their codes, and items on no order', () => {
    expect(rows).toEqual(
      expect.arrayContaining([
        ['Item 0 Invoice INV1', 'Damaged in transit (20) wet Barcode 777 · Photo 1', '1 case'],
        ['Damaged in transit (20)', '3 units'],
        // Barcodes of itemized exceptions are not stored; an unknown code appears as itself.
        ['Item 62 Invoice INV1', 'Code 99', '2'],
        ['Overage, returned (86) wrong pallet Barcode 0042 · Photo 2', '1'],
      ]),
    );
  });

  it('has the same content in plain text', () => {
    for (const line of [
      'Delivered: 8 of 12\nReturned: 1\nExceptions: 4\nCollected: 4 of 4\n',
      'Left at the dock 👍\nשלום – Grüße\n',
      '- Item 0, invoice INV1, 1 case, Damaged in transit (20), wet, barcode 777, photo 1\n',
      '- 1, Overage, returned (86), wrong pallet, barcode 0042, photo 2\n',
      'Address      1 Main St\n             Chicago, IL 60601\n',
      'Items of invoice INV1\n- Item 0, ITM100000, 1 short, on 1 pallet, ordered 3, delivered 2, returned 1\n',
      '- TOTE, expected 2, collected 4\n',
    ])
      expect(text).toContain(line);
  });
});

describe('pictures of a summary', () => {
  it('are shown where their bytes are, named where they are stored elsewhere, announced where they are pending', () => {
    const { html, text } = rendered(eventful(), {
      [asset(1)]: [{ kind: 'shown', src: 'cid:signature' }],
      [asset(2)]: [
        { kind: 'shown', src: 'cid:a' },
        { kind: 'shown', src: 'cid:b' },
      ],
      [asset(3)]: [{ kind: 'stored', href: 'https://pod.example/raw/3' }],
    });
    const images = [...html.matchAll(/<img src="(.*?)" alt="(.*?)"/g)].map(([, src, alt]) => [src, alt]);
    expect(images).toEqual([
      ['cid:signature', 'Signature'],
      ['cid:a', 'Photo 1, 1 of 2'],
      ['cid:b', 'Photo 1, 2 of 2'],
    ]);
    expect(html).toContain('<a class="link" href="https://pod.example/raw/3"');
    expect(text).toContain('Signature\nSam Storekeeper (attached)\n');
    expect(text).toContain('- Photo 1: Item 0: Damaged in transit (20) (attached; attached)\n');
    expect(text).toContain(
      '- Photo 2: Not on the order: Overage, returned (86) (kept, not attached: https://pod.example/raw/3)\n',
    );
    expect(text).toContain('- Photo 3: Item 0 (not uploaded yet)\n');
  });

  it('are counted where they are too many for a list', () => {
    const image_ids = Array.from({ length: 60 }, (_, n) => asset(100 + n));
    const line = { id: 'ITM100000', invoice: 'INV1', updates: { image_ids } };
    const { html, text } = rendered(summarized({ products: [line] }));
    expect(html).toContain('and 20 more');
    expect(text).toContain('and 20 more');
  });
});

describe('a summary', () => {
  it('gives the reason of a refused stop, and its meaning', () => {
    const { subject, html, text } = rendered(
      summarized({
        updates: { status: 'R', skip_refuse_reason_code: '12', skip_refuse_driver_comment: 'Too warm' },
      }),
    );
    expect(subject).toBe('Refused: Müller Market 1, route R100, stop 1');
    expect(rowsOf(html)).toContainEqual(['Reason', 'Damaged on arrival (12)']);
    expect(text).toContain('Refused on Fri, Nov 20, 2026, 10:06 AM CST. Damaged on arrival (12).');
    expect(html).toContain('Too warm');
  });

  it('shows an untouched stop as it is', () => {
    const { html, text } = rendered(summarized({}));
    expect(text).toContain('Müller Market 1\nNot delivered yet.\n');
    expect(html).not.toContain('Exceptions');
    expect(rowsOf(html)).toContainEqual(['Item 0 ITM100000', '3', '–', '–']);
  });

  it('has a subject of one line, with any name', () => {
    const customer = { ...plan(1).customer, name: 'Market\r\nBcc: all@x.example\u202e\u2028x' };
    const { subject } = rendered(summarized({}, { plan: planWith({ customer }) }));
    expect(subject).toBe('Not delivered yet: Market Bcc: all@x.example[U+202E] x, route R100, stop 1');
  });

  it('shows control and bidi characters as marks, in every recorded text', () => {
    const hidden = String.fromCharCode(...hiddenCodes);
    // The wire refuses controls in an invoice's number.
    const texts = Array.from({ length: 12 }, (_, n) => (n === 3 ? 'INV1' : `a${hidden}b`));
    const { subject, html, text } = rendered(stopOf(texts));
    const marks = hiddenCodes.map((code) => `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`).join('');
    for (const said of [html, text]) {
      expect(said.split(`a${marks}b`).length).toBeGreaterThan(5);
      expect(said.replaceAll(/[\t\n]/g, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    }
    expect(subject).toContain('[U+0001]');
    expect(subject).toContain('[U+202E]');
    expect(subject).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it('keeps the lines and tabs of a comment, and marks a return that hides the text before it', () => {
    const { html, text } = rendered(summarized({ updates: { driver_comments: 'one\r\ntwo\tthree\nfour\rfive' } }));
    expect(text).toContain('one\ntwo\tthree\nfour[U+000D]five');
    expect(html).toContain('one<br>two\tthree<br>four[U+000D]five');
  });

  it('uses UTC and names it where the facility’s zone is unknown', () => {
    const stop = summarized(
      { updates: { status: 'D', end_delivery_time: '2026-11-20T16:05:00Z' } },
      { zone: 'Mars/X' },
    );
    const { text } = rendered(stop);
    expect(text).toContain('Fri, Nov 20, 2026, 4:05 PM UTC');
    expect(text).toContain('Times: UTC.');
  });

  it('of two hundred lines is below the 102 kB at which Gmail cuts', () => {
    const long = plan(1, 200);
    const products = long.products.map(({ id, invoice }) => ({ id, invoice, updates: { delivered: 1, returned: 0 } }));
    const { html } = rendered(summarized({ updates: { status: 'D' }, products }, { plan: long }));
    expect(Buffer.byteLength(html)).toBeLessThan(102_000);
  });

  it('takes no long time for blanks, of which a text may contain any number', { timeout: 5_000 }, () => {
    const name = `a${' '.repeat(200_000)}b`;
    const products = plan(1).products.map((product) => ({ ...product, name }));
    expect(rendered(summarized({}, { plan: planWith({ products }) })).text).toContain(name);
  });

  it('escapes every recorded text', () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: 12, maxLength: 12 }), (texts) => {
        const { html } = rendered(stopOf(texts));
        expect(skeletonOf(html)).toEqual(skeletonOf(rendered(stopOf(texts.map(lettersOnly))).html));
        expect(html).not.toContain('undefined');
      }),
      { numRuns: 200 },
    );
  });
});

const hostileText = fc
  .tuple(
    fc.string({ maxLength: 5 }),
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='alert(1)",
      '<%= it.subject %><%~ process.exit() %>',
      '${7*7}{{7*7}}',
      '</style></title></table><!--',
      '&lt;b&gt;',
      '$& $1 $`',
    ),
  )
  .map((parts) => parts.join('').replaceAll(/[\0-\x1f\x7f]/g, ''));

/** C0 but for NUL (the wire refuses it), tab and the ends of lines; DEL, C1, and each sign that turns the direction. */
const hiddenCodes = [
  ...Array.from({ length: 0x1f }, (_, n) => n + 1).filter((code) => ![9, 10, 13].includes(code)),
  ...Array.from({ length: 0x21 }, (_, n) => 0x7f + n),
  ...[0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
];

const lettersOnly = (text: string): string => text.replaceAll(/[^a-z]/g, 'x');

/** A stop that shows each of these texts in every recorded field. */
function stopOf(texts: readonly string[]): SummarizedStop {
  const [name = '', address = '', item = '', invoice = '', comment = '', receiver = '', ...more] = texts;
  const [osd = '', over = '', barcode = '', facility = '', rep = '', meaning = ''] = more;
  const base = plan(1);
  const [line, ...lines] = base.products;
  const contact = { ...base.customer.contact, salesrep: { id: '', name: rep, phone: '' } };
  const customer = { ...base.customer, name, contact, location: { ...base.customer.location, address: [address] } };
  const overage_items = [{ barcode: barcode.slice(0, 20), osd_code: '86', quantity: 1, comment: over }];
  const osd_data = [{ osd_code: '20', data: [{ comment: osd }] }];
  return summarized(
    {
      updates: { status: 'D', driver_comments: comment, store_emp_name: receiver.slice(0, 40), overage_items },
      products: [{ id: 'A', invoice: invoice.slice(0, 10), updates: { osd_data } }],
    },
    {
      plan: planWith({ customer, products: [{ ...line!, name: item, id: 'A', invoice }, ...lines] }),
      facility,
      reason: () => meaning,
    },
  );
}

/** Every tag of the page with its attributes, without the words. */
const skeletonOf = (html: string): string[] => html.match(/<[^>]*>/g) ?? [];
