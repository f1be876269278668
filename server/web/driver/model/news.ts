import type { Conflict, LocalRoute, LocalStop, ReviewedChange } from '@tailgate/client-sdk';

type OfficeEdits = LocalStop['unseen'];

/** Something in the inbox. Each stays until the driver has seen it; none asks for a decision. */
export type News = { readonly at: number | undefined } & (
  | { readonly kind: 'office'; readonly stop: LocalStop; readonly edits: OfficeEdits }
  | { readonly kind: 'conflict'; readonly id: string; readonly stop: number; readonly fields: readonly Conflict[] }
  | { readonly kind: 'review'; readonly change: ReviewedChange }
);

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
  return [...office, ...lost, ...reviews].sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
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
