/** HTML that is safe to put into other HTML. */
export interface Markup {
  readonly html: string;
}

/**
 * A template of HTML: every text that is put into it is escaped, whatever it holds; only what another such template
 * made goes in as it is. For text between tags and within quoted attributes.
 */
export function html(
  pieces: TemplateStringsArray,
  ...values: readonly (string | number | Markup | Markup[])[]
): Markup {
  const filled = pieces.map((piece, i) => piece + textOf(values[i] ?? ''));
  return { html: filled.join('') };
}

function textOf(value: string | number | Markup | Markup[]): string {
  if (Array.isArray(value)) return value.map((part) => part.html).join('');
  if (typeof value === 'object') return value.html;
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
