import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleWhole, limitWith, type BundleOptions } from './bundle.ts';
import { licencesOf } from './licences.ts';
import { integrityOf } from './output.ts';
import { placeholder } from './page.ts';

/** The most bytes of a shipped page of one file, compressed by gzip. */
const shippedLimit = 60_000;

/**
 * A page with its code and style inside: one file that opens from a disk. Its own policy lets the browser run this code
 * and load nothing at all.
 *
 * @param source a folder with `index.html` and `main.tsx`
 */
export async function singlePage(source: string, options: BundleOptions): Promise<Buffer> {
  const html = await readFile(join(source, 'index.html'), 'utf8');
  if (html.split(placeholder).length !== 2) throw new Error(`index.html needs exactly one ${placeholder}`);
  const { code, style = '', inputs } = await bundleWhole(source, 'main.tsx', options);
  // A browser ends a script at the first `</script`, also inside a string.
  const script = `\n${code.replaceAll('</script', String.raw`<\/script`)}`;
  const policy = [
    "default-src 'none'",
    `script-src '${integrityOf(Buffer.from(script))}'`,
    `style-src '${integrityOf(Buffer.from(style))}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const licences = (await licencesOf(inputs)).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const head = `<meta http-equiv="content-security-policy" content="${policy}" />
    <style>${style}</style>`;
  const whole = html
    .replace(placeholder, () => head)
    .replace(
      '</body>',
      () => `<script>${script}</script>\n    <template id="licences">${licences}</template>\n  </body>`,
    );
  const bytes = Buffer.from(whole);
  const { byteLength } = gzipSync(bytes, { level: 9 });
  const limit = limitWith(options.runtime, shippedLimit);
  if (!options.development && byteLength > limit)
    throw new Error(`the page of one file is ${byteLength - limit} bytes above its limit of ${limit}`);
  return bytes;
}
