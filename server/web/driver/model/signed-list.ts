import type { LocalStop } from '@tailgate/client-sdk';
import { sha256Hex } from '@tailgate/client-sdk/uploads';
import type { OverageDraft, StopDraft } from './draft.ts';
import type { Product } from './lines.ts';
import { isCounted, lineNow, returnedNow, sum } from './lines.ts';

/** The list that a recipient sees and signs. */
export interface SignedList {
  readonly planned: number;
  readonly delivered: number;
  readonly lines: readonly SignedLine[];
  /** Items outside the plan that stay with the customer. */
  readonly extra: readonly { readonly barcode: string; readonly quantity: number }[];
  readonly returns: readonly { readonly key: string; readonly name: string; readonly returned: number }[];
}

export interface SignedLine {
  readonly key: string;
  readonly item: string;
  readonly invoice: string;
  readonly name: string;
  readonly delivered: number;
  readonly planned: number;
  /** Codes of the reasons for less, with their quantities. */
  readonly reasons: readonly { readonly code: string; readonly quantity: number }[];
}

/** The code of an item outside the plan that the driver takes back. */
const takenBack = 86;

export function signedList(stop: LocalStop, draft: StopDraft): SignedList {
  const lines = stop.products.map((line) => signedLine(stop, line, draft));
  const overage: readonly Pick<OverageDraft, 'barcode' | 'quantity' | 'code'>[] = [
    ...stop.updates.overage_items.map(({ barcode, quantity, osd_code: code }) => ({ barcode, quantity, code })),
    ...draft.overage,
  ];
  return {
    planned: sum(lines, ({ planned }) => planned),
    delivered: sum(lines, ({ delivered }) => delivered),
    lines,
    extra: overage
      .filter(({ code }) => Number(code) !== takenBack)
      .map(({ barcode, quantity }) => ({ barcode, quantity })),
    returns: stop.collections
      .map((line) => ({ key: line.key, name: line.name, returned: returnedNow(line, draft) }))
      .filter(({ returned }) => returned > 0),
  };
}

/** A line as the delivery records it: one that was neither scanned nor counted is as planned. */
function signedLine(stop: LocalStop, line: Product, draft: StopDraft): SignedLine {
  const { id: item, key, name, invoice, quantity: planned } = line;
  const now = lineNow(stop, line, draft);
  const isUntouched = draft.lines[key] === undefined && !isCounted(stop);
  return {
    key,
    item,
    invoice,
    name,
    delivered: isUntouched ? planned : now.delivered,
    planned,
    reasons: isUntouched ? [] : now.reasons.filter(({ quantity }) => quantity > 0),
  };
}

/**
 * The list in a form that does not depend on the reader's language: the same content is the same text. The file of the
 * signature contains it (decision 109).
 */
export const listText = ({ id, customer }: LocalStop, list: SignedList): string =>
  JSON.stringify({
    version: 1,
    stop: id,
    customer: [customer.id, customer.name],
    pieces: [list.delivered, list.planned],
    lines: list.lines.map(({ item, invoice, name, delivered, planned, reasons }) => [
      item,
      invoice,
      name,
      delivered,
      planned,
      reasons.map(({ code, quantity }) => [code, quantity]),
    ]),
    extra: list.extra.map(({ barcode, quantity }) => [barcode, quantity]),
    returns: list.returns.map(({ name, returned }) => [name, returned]),
  });

/** The SHA-256 of the list as it is now. */
export const listHash = (stop: LocalStop, draft: StopDraft): string =>
  sha256Hex(listText(stop, signedList(stop, draft)));

/** Whether the strokes or the signature of a draft belong to another list than the one that would be recorded now. */
export const isSignedOtherwise = (stop: LocalStop, { shown, ...draft }: StopDraft): boolean =>
  shown !== null && shown !== listHash(stop, { shown, ...draft });
