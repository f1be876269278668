import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Picture } from '../../../server/src/mail/summary.ts';
import { startBrowser } from '../../support/browser.ts';
import { plan } from '../../support/mirror.ts';
import { png } from '../../support/png.ts';
import { asset, eventful, planWith, rendered, summarized } from './summarized.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

const photo = `data:image/png;base64,${png(120, 80, [90, 140, 200, 255]).toString('base64')}`;
const pictures: Readonly<Record<string, readonly Picture[]>> = {
  [asset(1)]: [{ kind: 'shown', src: photo }],
  [asset(2)]: [
    { kind: 'shown', src: photo },
    { kind: 'shown', src: photo },
  ],
  [asset(3)]: [{ kind: 'stored', href: 'https://pod.example/api/v20/assets/raw/3' }],
};

const word = 'W'.repeat(40);
const long = plan(1, 200);
const pages = {
  'a delivered stop with something of everything': rendered(eventful(), pictures),
  'a refused stop': rendered(summarized({ updates: { status: 'R', skip_refuse_reason_code: '12' } })),
  'a skipped stop': rendered(summarized({ updates: { status: 'S', skip_refuse_driver_comment: 'closed' } })),
  'a pending stop': rendered(summarized({})),
  'two hundred lines': rendered(
    summarized(
      {
        updates: { status: 'D' },
        products: long.products.map(({ id, invoice }) => ({ id, invoice, updates: { delivered: 9_999_999 } })),
      },
      { plan: long },
    ),
  ),
  'words without end': rendered(
    summarized(
      {
        updates: { status: 'D', driver_comments: 'x'.repeat(2000), store_emp_name: word, signature_id: asset(9) },
        products: [
          {
            id: 'ITM100000',
            invoice: 'INV1',
            updates: {
              delivered: 9_999_999,
              returned: 9_999_999,
              osd_data: [
                {
                  osd_code: '20',
                  data: [
                    {
                      quantity: 9_999_999,
                      quantity_type: 'units',
                      comment: 'y'.repeat(2000),
                      barcodes: '8'.repeat(20),
                    },
                  ],
                },
              ],
            },
          },
        ],
      },
      {
        facility: word,
        plan: planWith({
          customer: { ...plan(1).customer, name: word },
          products: plan(1).products.map((line) => ({ ...line, name: word, quantity: 9_999_999 })),
        }),
      },
    ),
  ),
};
/** Findings of axe, each with its element. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = findings.parse(await page.evaluate('axe.run(document)'));
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
const findings = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** Text beyond the page's right edge, by its first words. */
const sticksOut = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main, [role=main] *')]
      .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map((element) => element.textContent.slice(0, 40)),
  );

describe('the look of a summary', () => {
  test.each(Object.entries(pages))('%s: nothing sticks out, on phones and desks', async (_, { html }) => {
    const page = await browser.newPage();
    await page.setContent(html);
    for (const width of [360, 1000]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await sticksOut(page)).toEqual([]);
    }
    await page.close();
  });

  test.each(Object.entries(pages).filter(([name]) => name !== 'two hundred lines'))(
    '%s: axe finds nothing, by day and by night',
    async (_, { html }) => {
      const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
      await page.setContent(html);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await faultsOf(page)).toEqual([]);
      }
      await page.close();
    },
  );
});

describe('a summary with images off', () => {
  test('names each of them in words', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
    await page.setContent(pages['a delivered stop with something of everything'].html.replaceAll(photo, 'cid:gone'));
    const seen = await page.getByRole('img').evaluateAll((images) => images.map((image) => image.getAttribute('alt')));
    expect(seen).toEqual(['Signature', 'Photo 1, 1 of 2', 'Photo 1, 2 of 2']);
    const words = await page.getByRole('main').innerText();
    expect(words).toContain('Photo 1: Item 0: Damaged in transit (20)');
    await page.close();
  });
});
