import { join } from 'node:path';
import type { PagePhone } from './page-phone.ts';

/** Taps the way to the file; its path on this machine. */
export async function sendAsFile(phone: PagePhone, folder: string): Promise<string> {
  const [download] = await Promise.all([
    phone.page.waitForEvent('download'),
    phone.finger.tap('Send as a file instead'),
  ]);
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

/** The passphrase that the screen shows. */
export async function passphraseOn({ finger }: PagePhone): Promise<string> {
  await finger.sees('Say these figures aloud.');
  const shown = /\d{4}\s+\d{4}\s+\d{4}/.exec(await finger.read());
  if (!shown) throw new Error('the screen shows no passphrase');
  return shown[0].split(/\s+/).join(' ');
}

/** Opens a file on the screen of the take-over. */
export async function openFile(phone: PagePhone, path: string): Promise<void> {
  const [chooser] = await Promise.all([
    phone.page.waitForEvent('filechooser'),
    phone.finger.tap('Open a file instead'),
  ]);
  await chooser.setFiles(path);
}

/** The passphrase with another last figure. */
export const misheard = (passphrase: string): string =>
  passphrase.replace(/\d$/, (figure) => String((Number(figure) + 1) % 10));
