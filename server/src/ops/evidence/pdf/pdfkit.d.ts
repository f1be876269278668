// The part of pdfkit that the evidence uses. pdfkit brings no types, and those of DefinitelyTyped lack PDF/A and fonts.
declare module 'pdfkit' {
  export interface TextOptions {
    readonly width?: number;
    readonly align?: 'left' | 'right' | 'center';
    readonly lineBreak?: boolean;
  }

  export interface Image {
    readonly width: number;
    readonly height: number;
    /** 1 to 8 (Exif); 5 to 8 turn the picture by a quarter. */
    readonly orientation?: number;
    /** Of a JPEG; undefined where its number of channels is none that PDF knows. */
    readonly colorSpace?: string;
    /** The object of the picture, once the document has it. */
    readonly obj: { end(data?: Uint8Array): void; readonly uncompressedLength?: number } | null;
  }

  /** An object of the document; `end` writes it. */
  export interface Reference {
    end(): void;
  }
  /** A text is a name, bytes are a string in hexadecimal. */
  export type Data =
    string | number | Date | Uint8Array | Reference | readonly Data[] | { readonly [key: string]: Data };

  export interface Page {
    readonly dictionary: Reference;
    readonly annotations: Reference[];
    readonly width: number;
    readonly height: number;
    readonly margins: { top: number; bottom: number; left: number; right: number };
  }

  export class PDFDocument {
    constructor(options: {
      readonly size: string;
      readonly margins: Page['margins'];
      readonly autoFirstPage: boolean;
      readonly pdfVersion: string;
      readonly subset: string;
      readonly lang: string;
      readonly displayTitle: boolean;
      readonly font: string;
      readonly info: Readonly<Record<string, string | Date>>;
    });
    x: number;
    y: number;
    readonly page: Page;
    /** The present font; `font` is that of fontkit. */
    readonly _font: { readonly font: { hasGlyphForCodePoint(codePoint: number): boolean } };
    /** The catalogue of the document. */
    readonly _root: { readonly data: Record<string, Data> };
    /** Writes the form of the document: pdfkit's own needs a font for its fields. */
    endAcroForm: () => void;
    ref(data: Data): Reference;
    on(event: 'pageAdded', listener: () => void): this;
    font(path: string): this;
    fontSize(size: number): this;
    fillColor(color: string): this;
    strokeColor(color: string): this;
    lineWidth(width: number): this;
    addPage(): this;
    text(text: string, x: number, y: number, options?: TextOptions): this;
    heightOfString(text: string, options?: TextOptions): number;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    stroke(): this;
    openImage(bytes: Uint8Array): Image;
    image(image: Image, x: number, y: number, options: { readonly fit: readonly [number, number] }): this;
    file(
      bytes: Uint8Array,
      options: {
        readonly name: string;
        readonly type: string;
        readonly relationship: 'Source';
        readonly creationDate: Date;
        readonly modifiedDate: Date;
      },
    ): void;
    end(): void;
    read(): Buffer | null;
  }
}
