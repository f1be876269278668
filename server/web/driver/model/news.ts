import type { Conflict, LocalRoute, LocalStop, ReviewedChange } from '@tailgate/client-sdk';

type OfficeEdits = LocalStop['unseen'];

/** Something in the inbox. Each stays until the driver has seen it; none asks for a decision. */
export type News = { readonly at: number | undefined } & (
  | { readonly kind: 'office'; readonly stop: LocalStop; readonly edits: OfficeEdits }
  | { readonly kind: 'conflict'; readonly id: string; readonly stop: number; readonly fields: readonly Conflict[] }
  | { readonly kind: 'review'; readonly change: ReviewedChange }
  /** Remarks of the server on an accepted change. */
  | { readonly kind: 'remark'; readonly id: string; readonly stop: LocalStop; readonly remarks: readonly Remark[] }
);

/** Remarks that say something to a driver. The others are about the form of a change, and for the office. */
const remarkCodes = [
  'after_close',
  'no_longer_assigned',
  'plan_changed',
  'route_withdrawn',
  'status_ignored',
  'stop_removed',
  'too_many_lines',
] as const;
export type Remark = (typeof remarkCodes)[number];

interface NewsParts {
  readonly route: Pick<LocalRoute, 'stops'> | undefined;
  readonly conflicts: readonly Conflict[];
  readonly review: readonly ReviewedChange[];
  /** When a change was recorded; ms since 1970. */
  readonly recordedAt: (id: string) => number | undefined;
}

/** The inbox, the latest first. */
export function newsOf({ route, conflicts, review, recordedAt }: NewsParts): News[] {
  const office = (route?.stops ?? []).flatMap((stop): News[] =>
    stop.unseen.length > 0
      ? [{ kind: 'office', stop, edits: stop.unseen, at: Math.max(...stop.unseen.map(({ at }) => at)) }]
      : [],
  );
  const ids = [...new Set(conflicts.map(({ id }) => id))];
  const lost = ids.flatMap((id): News[] => {
    const fields = conflicts.filter((each) => each.id === id);
    const [first] = fields;
    return first ? [{ kind: 'conflict', id, stop: first.stop, fields, at: recordedAt(id) }] : [];
  });
  const reviews = review.map((change): News => ({ kind: 'review', change, at: change.recordedAt }));
  const remarks = (route?.stops ?? []).flatMap((stop) => remarksOf(stop, recordedAt));
  return [...office, ...lost, ...reviews, ...remarks].sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

/** One message for each change with remarks. */
function remarksOf(stop: LocalStop, recordedAt: NewsParts['recordedAt']): News[] {
  const ids = [...new Set(stop.warnings.map((warning) => warning.id))];
  return ids.flatMap((id): News[] => {
    const warnings = stop.warnings.filter((warning) => warning.id === id);
    const remarks = remarkCodes.filter((known) => warnings.some(({ code }) => code === known));
    return remarks.length > 0 ? [{ kind: 'remark', id, stop, remarks, at: recordedAt(id) }] : [];
  });
}

/** How many of them the driver has not seen. */
export const unseenCount = (news: readonly News[]): number =>
  news.filter((each) => each.kind !== 'review' || !each.change.acknowledged).length;

/** The line that a path names, and its field; undefined for a field of the whole stop. */
export function lineOf(
  stop: LocalStop | undefined,
  path: string,
): { readonly name: string; readonly field: string } | undefined {
  const [, kind = '', key = '', field = ''] = /^(products|collections)\.(.*)\.([^.\t]+)$/.exec(path) ?? [];
  const lines = kind === 'products' ? stop?.products : kind === 'collections' ? stop?.collections : undefined;
  const line = lines?.find((each) => each.key === key);
  return line && { name: line.name, field };
}
