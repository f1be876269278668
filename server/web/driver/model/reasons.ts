import type { LocalStop } from '@tailgate/client-sdk';
import type { ReferenceCode } from '@tailgate/sync-protocol';

/** The kind of reason for missing pieces, before the exact reason. `other` is a category that the app has no word for. */
export interface ReasonKind {
  /** The host's category, such as DAMAGE. */
  readonly category: string;
  readonly codes: readonly ReferenceCode[];
}

/** The host's category of items outside the plan. */
export const overageCategory = 'OVERAGE';

/** Reasons for less than planned, by category, as a driver may choose them. */
export function kindsOf(codes: readonly ReferenceCode[]): ReasonKind[] {
  const byCategory = new Map<string, ReferenceCode[]>();
  for (const code of codes) {
    if (!code.driver_visible || code.category === overageCategory) continue;
    byCategory.set(code.category, [...(byCategory.get(code.category) ?? []), code]);
  }
  return [...byCategory].map(([category, of]) => ({ category, codes: of }));
}

/** The code of a reason, or of its number on the host. A blank one names none: as a number it would be the code 0. */
export const codeNamed = (codes: readonly ReferenceCode[], code: string): ReferenceCode | undefined =>
  code.trim() === ''
    ? undefined
    : (codes.find((each) => each.code === code) ?? codes.find((each) => Number(each.code) === Number(code)));

/** Reasons for a skip (S) or a refusal (R) of a whole stop. */
export const exceptionsFor = (codes: readonly ReferenceCode[], type: 'S' | 'R'): ReferenceCode[] =>
  codes.filter((code) => code.driver_visible && (code.stop_type === type || code.stop_type === 'B'));

/** Missing pieces of a stop by category. */
export function lossesOf(
  { products }: Pick<LocalStop, 'products'>,
  codes: readonly ReferenceCode[],
): { readonly category: string; readonly quantity: number }[] {
  const byCategory = new Map<string, number>();
  for (const { updates } of products)
    for (const { osd_code, data } of updates.osd_data) {
      const category = codeNamed(codes, osd_code)?.category ?? '';
      const quantity = data.reduce((sum, entry) => sum + entry.quantity, 0);
      byCategory.set(category, (byCategory.get(category) ?? 0) + quantity);
    }
  return [...byCategory].map(([category, quantity]) => ({ category, quantity }));
}
