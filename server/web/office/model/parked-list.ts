import type { RowOf } from '../api/operations.ts';

export type ParkedRow = RowOf<'listParked'>;

/** The subject of a refused row. */
export type ParkedSubject =
  | { readonly is: 'stop'; readonly route: string; readonly n: number }
  | { readonly is: 'route'; readonly route: string }
  | { readonly is: 'row'; readonly file: string; readonly key: string };

export function subjectOf({ file, key, route_id: route, stop_id: n }: ParkedRow): ParkedSubject {
  if (route !== null && n !== null) return { is: 'stop', route, n };
  if (route !== null) return { is: 'route', route };
  return { is: 'row', file, key };
}
