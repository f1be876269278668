import type { LocalStop } from '@tailgate/client-sdk';
import type { ReferenceCode } from '@tailgate/sync-protocol';
import type { OverageDraft, StopDraft } from './draft.ts';
import { isCounted, lineNow } from './lines.ts';
import { codeNamed } from './reasons.ts';
import { isSignedOtherwise } from './signed-list.ts';

/** Something that a stop still needs, in the order in which the gate leads there. */
export type Missing =
  | { readonly kind: 'scan'; readonly pieces: number; readonly sections: readonly string[] }
  | { readonly kind: 'count' | 'reason' | 'photo' | 'comment'; readonly key: string; readonly name: string }
  /** `optional`: it is named, and the gate does not lead there. */
  | { readonly kind: 'return'; readonly key: string; readonly name: string; readonly optional: boolean }
  | ({ readonly kind: 'overage' } & OverageLack)
  /** `again`: the recipient has signed another list. */
  | { readonly kind: 'signature'; readonly again: boolean };

/** An item outside the plan whose code asks for something that it lacks. */
export interface OverageLack {
  readonly asks: 'photo' | 'comment';
  /** Its place in the list. */
  readonly place: number;
  /** Its barcode. */
  readonly name: string;
}

export const overageLacks = (items: readonly OverageDraft[], codes: readonly ReferenceCode[]): OverageLack[] =>
  items.flatMap(({ code, comment, photos, barcode: name }, place): OverageLack[] => {
    const reason = codeNamed(codes, code);
    return [
      ...(reason?.requires_photo === true && photos.length === 0 ? [{ asks: 'photo' as const, place, name }] : []),
      ...(reason?.requires_comment === true && comment.trim() === ''
        ? [{ asks: 'comment' as const, place, name }]
        : []),
    ];
  });

/**
 * What is missing before the stop is delivered. Scans come first: they are at the truck. Nothing of it holds a driver
 * up: a delivery without it is recorded as it is, and says so.
 */
export function missingAt(stop: LocalStop, draft: StopDraft, codes: readonly ReferenceCode[]): Missing[] {
  const lines = stop.products.map((line) => lineNow(stop, line, draft));
  const toScan = lines.filter((line) => line.toScan > 0);
  const scan: Missing[] =
    toScan.length > 0
      ? [
          {
            kind: 'scan',
            pieces: toScan.reduce((sum, line) => sum + line.toScan, 0),
            sections: [...new Set(toScan.map(({ line }) => line.section))],
          },
        ]
      : [];
  const counts = lines.flatMap(({ line, toCount }): Missing[] =>
    toCount ? [{ kind: 'count', key: line.key, name: line.name }] : [],
  );
  const reasons = lines.flatMap(({ line, draft: own, delivered, planned, toScan: open }): Missing[] => {
    const at = { key: line.key, name: line.name };
    if (own?.delivered === undefined || delivered >= planned || open > 0) return [];
    if (!own.reason?.code) return [{ kind: 'reason', ...at }];
    const code = codeNamed(codes, own.reason.code);
    return [
      ...(code?.requires_photo === true && own.reason.photos.length === 0 ? [{ kind: 'photo' as const, ...at }] : []),
      ...(code?.requires_comment === true && own.reason.comment.trim() === ''
        ? [{ kind: 'comment' as const, ...at }]
        : []),
    ];
  });
  const overage = overageLacks(draft.overage, codes).map((lack): Missing => ({ kind: 'overage', ...lack }));
  // A stop without goods is there for what goes back.
  const isForReturns = stop.products.length === 0;
  const returns = stop.collections.flatMap(({ key, name, required }): Missing[] =>
    draft.returns[key] === undefined && !isCounted(stop)
      ? [{ kind: 'return', key, name, optional: !required && !isForReturns }]
      : [],
  );
  const again = draft.signature !== null && isSignedOtherwise(stop, draft);
  const isSigned =
    (draft.signature !== null && !again) || (draft.signature === null && stop.updates.signature_id !== null);
  // A stop without goods needs no signature.
  const sign: Missing[] = isSigned || stop.products.length === 0 ? [] : [{ kind: 'signature', again }];
  return [...scan, ...counts, ...reasons, ...returns, ...overage, ...sign];
}
