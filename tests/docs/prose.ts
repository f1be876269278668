import { parseSync } from 'oxc-parser';
import { lineAt, linesOf, type SourceFile } from '../house/source-file.ts';

/** A piece of text for people, and its line in the file. */
export interface Prose {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const withoutCode = (text: string): string =>
  text.replace(/^ *```[\s\S]*?^ *```/gm, blank).replace(/`[^`\n]*`/g, blank);

/** Preserves the line numbers. */
const blank = (code: string): string => code.replace(/[^\n]/g, ' ');

const titles = /\b(?:test|describe|it)(?:\.\w+)*(?:\([^()]*\))?\(\s*(?:'([^'\n]*)'|`([^`]*)`|"([^"\n]*)")/g;
const reasons = /\bwhy: '([^'\n]*)'/g;
const descriptions = /"(?:description|summary)": "((?:[^"\\]|\\.)*)"/g;

/** Comments and test titles of a program, the text of a page, the descriptions of the OpenAPI document. */
export function proseOf({ path, text }: SourceFile): Prose[] {
  const lineOf = linesOf(text);
  const at = (offset: number, found: string): Prose => ({ path, line: lineOf(offset), text: withoutCode(found) });
  const matches = (pattern: RegExp): Prose[] =>
    [...text.matchAll(pattern)].map((match) => at(match.index, match.slice(1).find(Boolean) ?? match[0]));
  if (path.endsWith('.md')) return [at(0, text)];
  if (path.endsWith('.sql')) return matches(/--(.*)/g);
  if (/\.(sh|ya?ml|conf)$|^\.ci\/run$/.test(path)) return matches(/(?:^|\s)#(?!!)(.*)/gm);
  if (path === 'docs/openapi.json') return matches(descriptions);
  if (!/\.(tsx?|mjs|js)$/.test(path)) return [];
  const comments = parseSync(path, text).comments.map(({ start, value }) => at(start, value));
  return [...comments, ...(path.startsWith('tests/') ? [...matches(titles), ...matches(reasons)] : [])];
}

/** Words for which the subject of the sentence or a standard verb is clearer. */
const idiom = /\b(whoever|whatever|nobody|somebody|anybody|told|tells?|telling|stands|stood|hears?|heard)\b/gi;

/** A sentence that begins with a relative clause; a question does not count. */
const relativeClause =
  /\b(What|Who|Where|Which|Whose)\b(?<=(?:^|[.:;]\s)\s*(?:\*\s*)?\1)(?! (?:is|are|does|do|it|to)\b)[^.?\n]*(?=[.\n]|$)/g;

export interface IdiomCount {
  readonly words: number;
  readonly places: readonly string[];
  readonly perTenThousand: number;
}

export const countIdiom = (prose: readonly Prose[]): IdiomCount => count(prose, idiom);
export const countRelativeClauses = (prose: readonly Prose[]): IdiomCount => count(prose, relativeClause);

function count(prose: readonly Prose[], pattern: RegExp): IdiomCount {
  const words = prose.reduce((sum, { text }) => sum + (text.match(/[\p{L}'’]+/gu)?.length ?? 0), 0);
  const places = prose.flatMap(({ path, line, text }) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => `${path}:${line - 1 + lineAt(text, index)} ${found}`),
  );
  return { words, places, perTenThousand: words === 0 ? 0 : (places.length * 10_000) / words };
}

/** A title names its subject; a relative clause or a riddle does not. */
export const isFactual = (title: string): boolean =>
  !/^(what|who|whoever|whatever|where|nobody|which|how)\b/i.test(title) && !/\bis told\b/i.test(title);
