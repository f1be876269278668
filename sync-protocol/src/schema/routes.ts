import * as z from '#schema';
import { keyText, yyyymmdd } from './values.ts';

export const routeKey = z.object({ facility: keyText(5), id: keyText(10), week_end: yyyymmdd });
/** The key of a route: facility, id and week. Route numbers repeat every week. */
export type RouteKey = z.infer<typeof routeKey>;

/** A scope of the feed: `route:F01:R100:20261121`, `client:<client_id>` or `codes:all`. */
export type Scope = string;

// Escaped colons and percent signs in ids keep the scopes of two routes distinct.
export const routeScope = ({ facility, id, week_end }: RouteKey): Scope =>
  `route:${encodeURIComponent(facility)}:${encodeURIComponent(id)}:${week_end}`;
export const clientScope = (clientId: string): Scope => `client:${clientId}`;
export const codesScope: Scope = 'codes:all';

export type ParsedScope =
  | { readonly kind: 'route'; readonly key: RouteKey }
  | { readonly kind: 'client'; readonly clientId: string }
  | { readonly kind: 'codes' };

export const isRouteScope = (scope: Scope): boolean => scope.startsWith('route:');
export const isClientScope = (scope: Scope): boolean => scope.startsWith('client:');

/** Parses a scope; undefined where it is invalid. */
export function parseScope(scope: Scope): ParsedScope | undefined {
  const [kind, ...rest] = scope.split(':');
  if (kind === 'codes') return scope === codesScope ? { kind } : undefined;
  if (kind === 'client' && rest.length === 1 && rest[0]) return { kind, clientId: rest[0] };
  if (kind !== 'route' || rest.length !== 3) return undefined;
  try {
    const [facility, id] = [decodeURIComponent(rest[0]!), decodeURIComponent(rest[1]!)];
    const key = routeKey.safeParse({ facility, id, week_end: rest[2] }).data;
    // Each scope has one spelling: other spellings of its route are invalid.
    return key?.facility === facility && key.id === id ? { kind, key } : undefined;
  } catch {
    return undefined; // the scope has an invalid escape
  }
}

/** Keys of the documents in a route scope. */
export const headerDocument = 'route';
export const planDocument = (stop: number): string => `plan/${stop}`;
export const resultDocument = (stop: number): string => `result/${stop}`;
