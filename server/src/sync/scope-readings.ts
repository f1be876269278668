import type { QuarantineDocument, RouteKey, Scope } from '@tailgate/sync-protocol';
import { codesScope, headerDocument, parseScope, planDocument, resultDocument } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import { shownReason } from '../stops/shown-reason.ts';
import { routeHeader, type RouteDriver } from '../routes/header.ts';
import type { Hosted, ParkedStop } from './patch-text.ts';
import { readClients, readCodes, readRoutes } from './sql.ts';

/** A request for a scope: its documents above a version, with their texts above another version. */
export interface ScopeRequest {
  readonly scope: Scope;
  readonly above: number;
  readonly headerAbove: number;
  readonly textsAbove: number;
}

/** A stored document; `text` is null where only the version is needed. */
export interface ReadDocument {
  readonly key: string;
  readonly version: number;
  readonly text: string | null;
}

/** The state of a scope at one moment. */
export interface Reading {
  /** The route's epoch; 0 for other scopes. */
  readonly epoch: number;
  readonly version: number;
  /** The documents are replaced as a whole, because single ones have no version. */
  readonly whole: boolean;
  readonly documents: readonly ReadDocument[];
  readonly deletes: readonly { readonly key: string; readonly version: number }[];
  readonly hosted: Hosted | null;
  /** Stops of a route with files that have not arrived, in order. */
  readonly awaited: readonly number[] | null;
  /**
   * The readers, where the reading includes them; null where it does not, or where the scope's name determines them.
   */
  readonly drivers: ReadonlySet<string> | null;
}

const ofNoRoute = { epoch: 0, deletes: [], hosted: null, awaited: null, drivers: null };

/** All documents with their texts. */
export const wholeScope = (scope: Scope): ScopeRequest => ({ scope, above: -1, headerAbove: -1, textsAbove: -1 });
/** The version and the readers alone. */
export const scopeState = (scope: Scope): ScopeRequest => ({
  scope,
  above: Number.MAX_SAFE_INTEGER,
  headerAbove: -1,
  textsAbove: Number.MAX_SAFE_INTEGER,
});

/** Reads scopes of all kinds, with one statement for each kind; undefined for missing ones. */
export async function readScopes(db: Queryable, requests: readonly ScopeRequest[]): Promise<(Reading | undefined)[]> {
  const routes: KeyRequest<RouteKey>[] = [];
  const clients: KeyRequest<string>[] = [];
  const codes: KeyRequest<null>[] = [];
  for (const [index, request] of requests.entries()) {
    const parsed = parseScope(request.scope);
    if (parsed?.kind === 'route') routes.push({ index, request, key: parsed.key });
    if (parsed?.kind === 'client') clients.push({ index, request, key: parsed.clientId });
    if (parsed?.kind === 'codes') codes.push({ index, request, key: null });
  }
  const readings = requests.map((): Reading | undefined => undefined);
  await Promise.all([
    routes.length > 0 && readRouteScopes(db, routes, readings),
    clients.length > 0 && readClientScopes(db, clients, readings),
    codes.length > 0 && readCodesScope(db, codes, readings),
  ]);
  return readings;
}

interface KeyRequest<Key> {
  readonly index: number;
  readonly request: ScopeRequest;
  readonly key: Key;
}
type Readings = (Reading | undefined)[];

interface RouteRow extends Record<string, unknown> {
  readonly n: number;
  readonly kind: 'route' | 'plan' | 'result';
  readonly stop: number;
  readonly version: number;
  readonly removed: boolean;
  readonly doc: string | null;
}

interface RouteFactsRow {
  readonly epoch: number;
  readonly header_version: number;
  readonly hosted_through: number;
  readonly shadow_through: number;
  readonly parked: readonly ParkedStop[];
  readonly awaited: readonly number[];
  readonly header: HeaderRow | null;
}

interface HeaderRow {
  readonly name: string;
  readonly withdrawn: boolean;
  readonly email_flag: boolean;
  readonly status: 'O' | 'C';
  readonly arrived: boolean;
  readonly closed_at: string | null;
  readonly closed_by: 'D' | 'A' | 'F' | null;
  readonly autoclose_at: string | null;
  readonly forceclose_at: string | null;
  readonly drivers: readonly RouteDriver[];
}

async function readRouteScopes(
  db: Queryable,
  requests: readonly KeyRequest<RouteKey>[],
  readings: Readings,
): Promise<void> {
  const { rows } = await db.query<RouteRow>(readRoutes, readRoutes.parameters(requests));
  const documentsOf = requests.map((): ReadDocument[] => []);
  const deletesOf = requests.map((): { key: string; version: number }[] => []);
  const factsOf = requests.map((): { version: number; facts: RouteFactsRow } | undefined => undefined);
  for (const { n, kind, stop, version, removed, doc } of rows) {
    if (kind === 'route') factsOf[n - 1] = { version, facts: readFacts(doc ?? '') };
    else if (removed) deletesOf[n - 1]?.push({ key: planDocument(stop), version });
    else
      documentsOf[n - 1]?.push({
        key: kind === 'plan' ? planDocument(stop) : resultDocument(stop),
        version,
        text: doc,
      });
  }
  for (const [i, { index, key }] of requests.entries()) {
    const found = factsOf[i];
    if (!found) continue;
    const { epoch, header, header_version, hosted_through: through, parked, awaited } = found.facts;
    const { shadow_through: shadow } = found.facts;
    const documents = documentsOf[i] ?? [];
    if (header) documents.push({ key: headerDocument, version: header_version, text: headerText(key, header) });
    readings[index] = {
      epoch,
      version: found.version,
      whole: false,
      documents,
      deletes: deletesOf[i] ?? [],
      hosted: { through, shadow, parked },
      awaited,
      drivers: header && new Set(header.drivers.filter(({ removed }) => !removed).map(({ id }) => id)),
    };
  }
}

/** The statement of this file wrote the text, so it is trusted. */
const readFacts: (doc: string) => RouteFactsRow = JSON.parse;

function headerText(key: RouteKey, row: HeaderRow): string {
  const header = routeHeader({
    key,
    name: row.name,
    withdrawn: row.withdrawn,
    emailFlag: row.email_flag,
    drivers: row.drivers,
    status: row.status,
    arrived: row.arrived,
    closedAt: dateOf(row.closed_at),
    closedBy: row.closed_by,
    autocloseAt: dateOf(row.autoclose_at),
    forcecloseAt: dateOf(row.forceclose_at),
  });
  return JSON.stringify(header);
}
const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

interface ClientRow extends Record<string, unknown> {
  readonly n: number;
  readonly version: number;
  readonly id: string | null;
  readonly client_version: number;
  readonly state: QuarantineDocument['state'];
  readonly code: string;
  readonly reason: string;
  /** The route version with the released mutation. */
  readonly applied_as: number | null;
  readonly note: string | null;
  readonly resolved_by: string | null;
}

async function readClientScopes(
  db: Queryable,
  requests: readonly KeyRequest<string>[],
  readings: Readings,
): Promise<void> {
  const { rows } = await db.query<ClientRow>(readClients, [
    requests.map(({ key }) => key),
    requests.map(({ request }) => request.above),
  ]);
  const documentsOf = requests.map((): ReadDocument[] => []);
  for (const row of rows) {
    const { n, version, id, client_version } = row;
    const documents = documentsOf[n - 1];
    const index = requests[n - 1]?.index;
    if (!documents || index === undefined) continue;
    if (id !== null)
      documents.push({
        key: `quarantine/${id}`,
        version: client_version,
        text: quarantineText(row),
      });
    readings[index] ??= { ...ofNoRoute, version, whole: false, documents };
  }
}

/** The document of a quarantined mutation for its phone (docs/protocol.md, The feed, 9). */
function quarantineText({ state, code, reason, applied_as, note, resolved_by }: ClientRow): string {
  const document: QuarantineDocument = {
    state,
    code,
    reason: shownReason({ code, reason }),
    ...(state === 'released' && applied_as !== null && { version: applied_as }),
    ...(state === 'dismissed' && note !== null && { note: signed(note, resolved_by) }),
  };
  return JSON.stringify(document);
}

/** The author of a dismissal, at the end of its reason: so every released app shows both. A program has the name it gave. */
const signed = (note: string, by: string | null): string => (by ? `${note} (${by.replace(/^machine:/, '')})` : note);

interface CodeRow extends Record<string, unknown> {
  readonly version: number;
  readonly type: string | null;
  readonly code: string;
}

async function readCodesScope(db: Queryable, requests: readonly KeyRequest<null>[], readings: Readings): Promise<void> {
  const above = Math.min(...requests.map(({ request }) => request.above));
  const { rows } = await db.query<CodeRow>(readCodes, [codesScope, above]);
  const version = rows[0]?.version ?? 0;
  const documents = rows.flatMap(({ version: _version, ...code }) =>
    code.type === null ? [] : [{ key: `code/${code.type}/${code.code}`, version, text: JSON.stringify(code) }],
  );
  for (const { index } of requests) readings[index] = { ...ofNoRoute, version, whole: true, documents };
}
