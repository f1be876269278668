import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';

/** Git ignores it: pictures of the last run. */
const shots = join(import.meta.dirname, 'shots');

/**
 * Writes a picture of the page to `tests/pages/shots/NAME.png`, for people. A run with `CI` writes none: hundreds of them
 * take minutes.
 */
export async function takeShot(page: Page, name: string, scale: 'device' | 'css' = 'device'): Promise<void> {
  if (process.env['CI']) return;
  const path = join(shots, `${name}.png`);
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path, scale });
}
