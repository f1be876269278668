import type { StopStatus } from '@tailgate/sync-protocol';

// What a delivery summary says, before and after its pictures are known. Shapes only.

/** Counts of a line. One that nobody recorded is undefined: it is not zero. */
export interface CountedLine {
  readonly name: string;
  /** What else tells it from its neighbours: its number, and where the counts differ, by how much. */
  readonly notes: readonly string[];
  readonly ordered: number | undefined;
  readonly delivered: number | undefined;
  readonly returned: number | undefined;
}

/** The products of one invoice, in manifest order. `invoice` is blank where a line has none. */
export interface InvoiceLines {
  readonly invoice: string;
  readonly lines: readonly CountedLine[];
}

/** What was wrong with something. */
export interface ExceptionEntry {
  /** Such as `2 cases`, `1 case`, `3`. */
  readonly quantity: string;
  /** What the code means, with the code. */
  readonly reason: string;
  readonly comment: string;
  readonly barcode: string;
  /** Its photo. */
  readonly asset: string | null;
}

export interface LineExceptions {
  readonly name: string;
  readonly invoice: string;
  readonly entries: readonly ExceptionEntry[];
}

export interface SummaryTables {
  readonly exceptions: readonly LineExceptions[];
  /** What was at the stop and on no order. */
  readonly overage: readonly ExceptionEntry[];
  readonly products: readonly InvoiceLines[];
  readonly collections: readonly CountedLine[];
  readonly photos: readonly PictureReference[];
}

/** A file that a stop names, in the words that stand for it where it is not shown. */
export interface PictureReference {
  readonly asset: string;
  /** What is to be seen: whose signature, which item and why. */
  readonly caption: string;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** What a delivery summary says, in order; how it looks is the templates'. Nothing that was not recorded is told. */
export interface DeliverySummary extends SummaryTables {
  /** One line, for a mail's subject and a page's title. */
  readonly subject: string;
  readonly status: StopStatus;
  /** Such as `Delivered`. */
  readonly statusWords: string;
  readonly customer: string;
  readonly facility: string;
  /** The whole in a sentence or two: mail programs show it beside the subject. */
  readonly lead: string;
  readonly totals: readonly Fact[];
  readonly facts: readonly Fact[];
  /** The driver's words. */
  readonly comment: string;
  readonly signature: PictureReference | undefined;
  readonly exceptionCount: number;
  /** Whose times these are. */
  readonly zone: string;
  /** Whom to ask; blank where nobody is named. */
  readonly contact: string;
}

/**
 * What there is of a file. `shown`: its bytes are at `src`. `stored`: it is kept, but not shown here, because it is too
 * big or no image. `pending`: nobody has uploaded it yet. `href` is where a reader finds it, if anywhere.
 */
export type Picture =
  | { readonly kind: 'shown'; readonly src: string }
  | { readonly kind: 'stored' | 'pending'; readonly href: string | undefined };

/** The files that an asset id stands for, at least one. */
export type PicturesOf = (asset: string) => readonly Picture[];

export interface ListedPictures {
  /** `Signature`, `Photo 1`: by this the rest of the summary names them. */
  readonly label: string;
  readonly caption: string;
  readonly pictures: readonly Picture[];
}

/** What the templates and the plain text get. */
export interface SummaryView extends Omit<DeliverySummary, 'signature' | 'photos'> {
  readonly signature: ListedPictures | undefined;
  readonly photos: readonly ListedPictures[];
  /** Photos that are not listed. */
  readonly morePhotos: number;
  /** Number of a photo; undefined where there is none. */
  readonly photoNumber: (asset: string | null) => number | undefined;
}
