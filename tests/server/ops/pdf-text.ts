import { inflateSync } from 'node:zlib';

// Reads the text of a PDF of pdfkit: its fonts have a table from glyphs to characters (ToUnicode), as `pdftotext` uses it.

export interface ReadPdf {
  /** The texts of a page, in the order of drawing, joined by line ends. */
  readonly pages: readonly string[];
  readonly pictures: number;
  readonly fonts: readonly string[];
}

export function readPdf(pdf: Buffer): ReadPdf {
  const source = pdf.toString('latin1');
  if (!source.startsWith('%PDF-1.7') || !source.trimEnd().endsWith('%%EOF')) throw new Error('no whole PDF');
  const dictionaries = new Map(
    [...source.matchAll(/(?:^|\n)(\d+) 0 obj\n(<<[\s\S]*?\n>>)\n(?:endobj|stream)/g)].map(entryOf),
  );
  const fontOf = new Map([...source.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id = '']) => [name, id]));
  const tables = new Map(
    [...fontOf].map(([name, id]) => {
      const table = /\/ToUnicode (\d+) 0 R/.exec(dictionaries.get(id)?.text ?? '')?.[1] ?? '';
      return [name, glyphsOf(streamOf(pdf, dictionaries.get(table)))];
    }),
  );
  const pages = [...dictionaries.values()]
    .filter(({ text }) => /\/Type \/Page\n/.test(text))
    .map(({ text }) => textOf(streamOf(pdf, dictionaries.get(/\/Contents (\d+) 0 R/.exec(text)?.[1] ?? '')), tables));
  return {
    pages,
    pictures: [...source.matchAll(/\/Subtype \/Image\n/g)].length,
    fonts: [...new Set([...source.matchAll(/\/BaseFont \/\w+\+(\S+)/g)].map(([, name = '']) => name))],
  };
}

interface Dictionary {
  readonly text: string;
  /** The place of its stream, if it has one. */
  readonly at: number;
}

function entryOf(match: RegExpMatchArray): [id: string, entry: Dictionary] {
  const [whole, id = '', text = ''] = match;
  return [id, { text, at: (match.index ?? 0) + whole.length + 1 }];
}

function streamOf(pdf: Buffer, dictionary: Dictionary | undefined): string {
  if (!dictionary) return '';
  const length = Number(/\/Length (\d+)/.exec(dictionary.text)?.[1]);
  return inflateSync(pdf.subarray(dictionary.at, dictionary.at + length)).toString('latin1');
}

function glyphsOf(table: string): string[] {
  return [...table.matchAll(/\[([^\]]*)\]/g)].flatMap(([, range = '']) =>
    [...range.matchAll(/<([0-9a-f ]*)>/g)].map(([, units = '']) =>
      String.fromCharCode(...units.split(' ').map((unit) => Number.parseInt(unit, 16))),
    ),
  );
}

function textOf(content: string, tables: ReadonlyMap<string, readonly string[]>): string {
  const lines = [...content.matchAll(/\/(F\d+) \S+ Tf\n\[(.*?)\] TJ/g)].map(([, font = '', shown = '']) => {
    const glyphs = tables.get(font) ?? [];
    const codes = [...shown.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    return codes.map((code) => glyphs[Number.parseInt(code, 16)] ?? '').join('');
  });
  return lines.join('\n');
}
