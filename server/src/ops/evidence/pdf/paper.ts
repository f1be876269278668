import { createRequire } from 'node:module';
import { PDFDocument, type Image, type Reference } from 'pdfkit';
import { isPng, opaquePng } from './opaque-png.ts';
import { shownText } from './shown-text.ts';
import { addSignature } from './signature.ts';

/** Letter, in points. */
const margins = { top: 54, bottom: 60, left: 48, right: 48 };
const grey = '#555555';
const ink = '#111111';
const rule = '#bbbbbb';

const require = createRequire(import.meta.url);
/** By path: under another name pdfkit reads the font of the document again at each use. */
const fonts = {
  regular: require.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
  bold: require.resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
};

export interface Style {
  /** Begins something: a further line stays with it. */
  readonly leads?: boolean;
  readonly size?: number;
  readonly bold?: boolean;
  readonly grey?: boolean;
}

export interface Column {
  readonly head: string;
  /** Share of the width. */
  readonly share: number;
  readonly align?: 'right';
}

/** The properties of a document. */
export interface Title {
  readonly title: string;
  readonly subject: string;
  /** The date of the document: that of its content, so that equal content has equal bytes. */
  readonly at: Date;
}

/**
 * A cell has at most these characters: a row fits on a page. `pack.json` has the whole text, and the cell says so where
 * it is cut.
 */
const longestCell = 1200;

/** Characters of the title on the line at the end of a page. */
const longestTitle = 110;

/** Pages from top to bottom: headings, paragraphs, tables, pictures. */
export class Paper {
  readonly #doc: PDFDocument;
  readonly #at: Date;
  #pages = 0;
  #style: Style = {};

  constructor({ title, subject, at }: Title) {
    this.#doc = new PDFDocument({
      size: 'LETTER',
      margins,
      autoFirstPage: false,
      pdfVersion: '1.7',
      subset: 'PDF/A-3b',
      lang: 'en-US',
      displayTitle: true,
      font: fonts.regular,
      info: {
        // pdfkit writes it into XML as it is.
        Title: title.replaceAll(/[&<>\p{Cc}]/gu, '_'),
        Subject: subject,
        Creator: 'Tailgate',
        Producer: 'pdfkit',
        CreationDate: at,
      },
    });
    this.#at = at;
    this.#doc.on('pageAdded', () => this.#footer(title));
  }

  /** The bytes that are ready. */
  take(): Buffer | undefined {
    return this.#doc.read() ?? undefined;
  }

  end(): void {
    this.#doc.end();
  }

  /**
   * Ends the document but for its signature, which `end` of the returned object writes, and what follows it.
   *
   * @param at the time of the signature
   */
  endUnsigned(at: Date): Reference {
    const signature = addSignature(this.#doc, at);
    this.#doc.end();
    return signature;
  }

  /** The document carries the bytes as a file (PDF/A-3). */
  attach(name: string, bytes: Uint8Array): void {
    const at = this.#at;
    this.#doc.file(bytes, {
      name,
      type: 'application/json',
      relationship: 'Source',
      creationDate: at,
      modifiedDate: at,
    });
  }

  newPage(): void {
    this.#doc.addPage();
  }

  heading(text: string): void {
    this.#doc.y += 12;
    // With the beginning of what follows.
    this.#makeRoom(100);
    this.paragraph(text, { size: 11.5, bold: true });
    this.#line();
  }

  paragraph(text: string, style: Style = {}): void {
    // A long text continues on further pages by itself.
    this.#makeRoom(style.leads ? 90 : 30);
    const shown = this.#ready(text, style);
    this.#doc.text(shown, margins.left, this.#doc.y, { width: this.#width });
    this.#doc.y += 3;
  }

  /** A name and its value, a row each. */
  facts(rows: readonly (readonly [label: string, value: string])[]): void {
    for (const [label, value] of rows)
      this.#row([label, value], [{ share: 0.24 }, { share: 0.76 }], [{ grey: true }, {}]);
  }

  table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    // The head stays with the first row.
    this.#makeRoom(60);
    const head = (): void => {
      this.#row(
        columns.map((column) => column.head),
        columns,
        columns.map(() => ({ bold: true, size: 8 })),
      );
      this.#line();
    };
    head();
    for (const row of rows) {
      const pages = this.#pages;
      this.#row(
        row,
        columns,
        columns.map(() => ({ size: 8.5 })),
        head,
      );
      if (pages === this.#pages) this.#line('#e6e6e6');
    }
  }

  /** @returns the reason where the bytes are no picture that a PDF shows */
  picture(bytes: Uint8Array, caption: string, height: number): string | undefined {
    const opened = this.#open(bytes);
    if (typeof opened === 'string') return opened;
    this.#makeRoom(height + 50);
    const top = this.#doc.y;
    try {
      this.#doc.image(opened, margins.left, top, { fit: [this.#width, height] });
    } catch (error) {
      // Without an end of its object the document would never end.
      opened.obj?.end();
      return reasonOf(error);
    }
    this.#doc.y = top + this.#heightOf(opened, height) + 4;
    this.paragraph(caption, { size: 8, grey: true });
    this.#doc.y += 6;
    return undefined;
  }

  /** The picture, or why there is none. */
  #open(bytes: Uint8Array): Image | string {
    try {
      const image = this.#doc.openImage(isPng(bytes) ? opaquePng(bytes) : bytes);
      const isUsable = image.width > 0 && image.height > 0 && (image.colorSpace !== undefined || isPng(bytes));
      return isUsable ? image : 'it is damaged';
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** The height of a picture within the width of the page and a height. */
  #heightOf({ width, height, orientation = 1 }: Image, most: number): number {
    const [across, down] = orientation > 4 ? [height, width] : [width, height];
    return down * Math.min(this.#width / across, most / down);
  }

  #row(
    cells: readonly string[],
    columns: readonly Pick<Column, 'share' | 'align'>[],
    styles: readonly Style[],
    head?: () => void,
  ): void {
    const gap = 8;
    const width = this.#width;
    const shown = cells.map((cell, i) => cut(this.#ready(cell, styles[i])));
    const widths = columns.map(({ share }) => share * width - gap);
    const heights = shown.map((cell, i) => {
      this.#apply(styles[i]);
      return this.#doc.heightOfString(cell, { width: widths[i] ?? width });
    });
    const height = Math.max(...heights);
    const pages = this.#pages;
    this.#makeRoom(height);
    if (pages !== this.#pages) head?.();
    const top = this.#doc.y;
    let x = margins.left;
    for (const [i, cell] of shown.entries()) {
      this.#apply(styles[i]);
      const { align = 'left' } = columns[i] ?? {};
      this.#doc.text(cell, x, top, { width: widths[i] ?? width, align });
      x += (widths[i] ?? 0) + gap;
    }
    this.#doc.x = margins.left;
    this.#doc.y = top + height + 2;
  }

  get #width(): number {
    return this.#doc.page.width - margins.left - margins.right;
  }

  #makeRoom(height: number): void {
    if (this.#doc.y + height > this.#doc.page.height - margins.bottom) this.newPage();
  }

  #apply(style: Style = {}): void {
    this.#style = style;
    const { size = 9.5, bold = false, grey: isGrey = false } = style;
    this.#doc
      .font(bold ? fonts.bold : fonts.regular)
      .fontSize(size)
      .fillColor(isGrey ? grey : ink);
  }

  #ready(text: string, style: Style = {}): string {
    this.#apply(style);
    const { font } = this.#doc._font;
    return shownText(text, (codePoint) => font.hasGlyphForCodePoint(codePoint));
  }

  #line(color = rule): void {
    const y = this.#doc.y;
    this.#doc
      .strokeColor(color)
      .lineWidth(0.5)
      .moveTo(margins.left, y)
      .lineTo(margins.left + this.#width, y)
      .stroke();
    this.#doc.y = y + 3;
  }

  /** A document that is streamed does not know the number of its pages. */
  #footer(title: string): void {
    this.#pages += 1;
    const { page } = this.#doc;
    const style = this.#style;
    const { bottom } = page.margins;
    // Within the margin a text would begin another page.
    page.margins.bottom = 0;
    const shown = this.#ready(title, { size: 7.5, grey: true });
    const line = shown.length > longestTitle ? `${shown.slice(0, longestTitle)} …` : shown;
    const y = page.height - 36;
    this.#doc.text(line, margins.left, y, { width: this.#width - 60, lineBreak: false });
    this.#doc.text(`Page ${this.#pages}`, page.width - margins.right - 60, y, {
      width: 60,
      align: 'right',
      lineBreak: false,
    });
    page.margins.bottom = bottom;
    // A text that continues from the page before keeps its style.
    this.#apply(style);
    this.#doc.x = margins.left;
    this.#doc.y = margins.top;
  }
}

const cut = (text: string): string =>
  text.length <= longestCell ? text : `${text.slice(0, longestCell)} … (pack.json has the whole text)`;

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : typeof error === 'string' ? error : 'it is damaged').replace(/\.$/, '');
