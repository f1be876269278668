import * as z from '#schema';
import { keyText, yyyymmdd } from './values.ts';

/** What names a route: facility, id and the week it belongs to. */
export const routeKey = z.object({ facility: keyText(5), id: keyText(10), week_end: yyyymmdd });
/** What names a route: a number comes again every week. */
export type RouteKey = z.infer<typeof routeKey>;

/** A scope of the feed: `route:F01:R100:20261121`, `client:<client_id>` or `codes:all`. */
export type Scope = string;

// Colons and percent signs in ids are escaped, so that no two routes share a scope.
export const routeScope = ({ facility, id, week_end }: RouteKey): Scope =>
  `route:${encodeURIComponent(facility)}:${encodeURIComponent(id)}:${week_end}`;
export const clientScope = (clientId: string): Scope => `client:${clientId}`;
export const codesScope: Scope = 'codes:all';

export type ParsedScope =
  | { readonly kind: 'route'; readonly key: RouteKey }
  | { readonly kind: 'client'; readonly clientId: string }
  | { readonly kind: 'codes' };

/** The kind of a scope, by how it begins. */
export const isRouteScope = (scope: Scope): boolean => scope.startsWith('route:');
export const isClientScope = (scope: Scope): boolean => scope.startsWith('client:');

/** Reads a scope; undefined where it is none. */
export function parseScope(scope: Scope): ParsedScope | undefined {
  const [kind, ...rest] = scope.split(':');
  if (kind === 'codes') return scope === codesScope ? { kind } : undefined;
  if (kind === 'client' && rest.length === 1 && rest[0]) return { kind, clientId: rest[0] };
  if (kind !== 'route' || rest.length !== 3) return undefined;
  try {
    const [facility, id] = [decodeURIComponent(rest[0]!), decodeURIComponent(rest[1]!)];
    const key = routeKey.safeParse({ facility, id, week_end: rest[2] }).data;
    // A scope goes by one name: another spelling of its route is no scope.
    return key?.facility === facility && key.id === id ? { kind, key } : undefined;
  } catch {
    return undefined; // a broken escape is no scope
  }
}

/** Keys of the documents in a route scope. */
export const headerDocument = 'route';
export const planDocument = (stop: number): string => `plan/${stop}`;
export const resultDocument = (stop: number): string => `result/${stop}`;
