import type { Bundle } from './bundle.ts';

/** The place of the built code in an `index.html`. */
export const placeholder = '<script type="module" src="./main.tsx"></script>';

/**
 * The page with its hashed files. Every address is relative, for proxies that add a prefix. The content security policy
 * refuses inline code, so the build refuses it, too.
 */
export function linkFiles(
  html: string,
  { scripts, style, reload }: Pick<Bundle, 'scripts' | 'style' | 'reload'>,
): string {
  const [main, ...rest] = scripts;
  if (main === undefined || html.split(placeholder).length !== 2)
    throw new Error(`index.html needs exactly one ${placeholder}`);
  const links = [
    ...(style === undefined ? [] : [`<link rel="stylesheet" href="./${style}">`]),
    `<script type="module" src="./${main}"></script>`,
    ...(reload === undefined ? [] : [`<script type="module" src="./${reload}"></script>`]),
    ...rest.map((name) => `<link rel="modulepreload" href="./${name}">`),
  ];
  const linked = html.replace(placeholder, () => links.join('\n    '));
  const inline = inlineCode(linked);
  if (inline !== undefined) throw new Error(`index.html has inline code, which the policy refuses: ${inline}`);
  return linked;
}

/** A script or style inside the page, a `style` or an event attribute, or a `javascript:` address. */
const inlineCode = (html: string): string | undefined =>
  /<script(?![^>]*\ssrc=)[^>]*>|<style[\s>]|<[a-z][^>]*\s(?:style|on[a-z]+)\s*=[^>]*>|<[a-z][^>]*["'=\s]javascript:[^>]*>/i.exec(
    html,
  )?.[0];
