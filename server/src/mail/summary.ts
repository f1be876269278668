import type { StopStatus } from '@tailgate/sync-protocol';

// The content of a delivery summary, before and after its pictures are known. Shapes only.

/** Counts of a line. Without a record a count is undefined: it is not zero. */
export interface CountedLine {
  readonly name: string;
  /** Further marks of a line: its number, and the difference where the counts differ. */
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

/** An exception of a line. */
export interface ExceptionEntry {
  /** Such as `2 cases`, `1 case`, `3`. */
  readonly quantity: string;
  /** The meaning of the code, with the code. */
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
  /** An item that was at the stop and on no order. */
  readonly overage: readonly ExceptionEntry[];
  readonly products: readonly InvoiceLines[];
  readonly collections: readonly CountedLine[];
  readonly photos: readonly PictureReference[];
}

/** A file that a stop names, in the words that replace it where it is not shown. */
export interface PictureReference {
  readonly asset: string;
  /** Its subject: whose signature, which item and why. */
  readonly caption: string;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** The content of a delivery summary, in order; templates define its look. It contains recorded values only. */
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
  /** The zone of these times. */
  readonly zone: string;
  /** The contact for questions; blank where there is none. */
  readonly contact: string;
}

/**
 * The state of a file. `shown`: its bytes are at `src`. `stored`: it is stored, but not shown here, because it is too
 * big or no image. `pending`: it has not been uploaded yet. `href` is its address for readers, if any.
 */
export type Picture =
  | { readonly kind: 'shown'; readonly src: string }
  | { readonly kind: 'stored' | 'pending'; readonly href: string | undefined };

/** The files of an asset id, at least one. */
export type PicturesOf = (asset: string) => readonly Picture[];

export interface ListedPictures {
  /** `Signature`, `Photo 1`: its name in the rest of the summary. */
  readonly label: string;
  readonly caption: string;
  readonly pictures: readonly Picture[];
}

/** A summary at the time of sending. */
export interface SentSummary extends DeliverySummary {
  /** The newest signed checkpoint of the facility's log; blank without one. */
  readonly checkpoint: string;
}

/** The input of the templates and the plain text. */
export interface SummaryView extends Omit<SentSummary, 'signature' | 'photos'> {
  readonly signature: ListedPictures | undefined;
  readonly photos: readonly ListedPictures[];
  /** Photos that are not listed. */
  readonly morePhotos: number;
  /** Number of a photo; undefined where there is none. */
  readonly photoNumber: (asset: string | null) => number | undefined;
}
