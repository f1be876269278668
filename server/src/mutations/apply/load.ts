import type { ErrorDetail, RouteKey, StopResult, Warning } from '@tailgate/sync-protocol';
import { canonicalJson, mutationArgs, routeScope } from '@tailgate/sync-protocol';
import { readSignOuts, type SignOut } from '../../auth/queue-sign-outs.ts';
import type { CodeBook } from '../../codes/code-book.ts';
import { uuidArray } from '../../db/arrays.ts';
import type { Tx } from '../../db/types.ts';
import type { CloseMode } from '../../routes/closing.ts';
import type { RouteDriver } from '../../routes/header.ts';
import { readResult, untouched } from '../../stops/stored-documents.ts';
import type { Item, QuarantineCode } from '../change.ts';
import type { KnownMutation } from './identity.ts';
import { placeOf } from '../item.ts';
import { loadRefused } from '../quarantine/quarantine-sql.ts';
import { contentWithoutQueue, contentName, type OpenRefusal } from './refusals.ts';
import { loadReports } from './report-rows.ts';
import * as sql from './sql.ts';
import type { LatestChange, LoadedClient, LoadedRoute, LoadedStop, WantedStop, World } from './world.ts';
import { stopName } from './world.ts';

export interface Rules {
  readonly codes: CodeBook;
  readonly closeMode: CloseMode;
  readonly timerMs: number;
}

/**
 * Locks and loads all rows that a batch touches. Another transaction locks the routes `lockedScopes`: their items wait
 * for a later batch.
 */
export async function loadWorld(
  tx: Tx,
  items: readonly Item[],
  rules: Rules,
): Promise<{ world: World; lockedScopes: ReadonlySet<string> }> {
  const wanted = wantedOf(items);
  const routeColumns = sql.lockRoutes.parameters([...wanted.routes.values()]);
  const stopColumns = sql.loadStops.parameters(wanted.stops);
  const byContent = items.some((item) => item.dedupeByContent);
  // A deduplicated item has an id that the edge has just made, so no row has it.
  const named = items.filter((item) => !item.dedupeByContent);
  const asked = items.map(contentWithoutQueue).filter((content) => content !== undefined);
  const hasRoutes = wanted.routes.size > 0;

  // A pipelined connection sends these together and runs them in this order. Statements after the locks have a snapshot
  // under the locks.
  const [clients, signOuts, routes, drivers, stops, reports, known, refused] = await Promise.all([
    // Read without the lock: a session that ends now was alive when these items came.
    wanted.clients.length > 0 ? tx.query<ClientRow>(sql.lockClients, [uuidArray(wanted.clients)]) : none,
    wanted.byKey.size > 0 ? readSignOuts(tx, [...wanted.byKey], wanted.latest) : noSignOuts,
    hasRoutes ? tx.query<RouteRow>(sql.lockRoutes, routeColumns) : none,
    hasRoutes ? tx.query<DriverRow>(sql.loadDrivers, routeColumns) : none,
    hasRoutes ? tx.query<StopRow>(byContent ? sql.loadStopsAndLatest : sql.loadStops, stopColumns) : none,
    loadReports(tx, items),
    named.length > 0 ? tx.query<KnownRow>(sql.loadKnown, sql.loadKnown.parameters(named)) : none,
    asked.length > 0 ? tx.query<RefusedRow>(loadRefused, loadRefused.parameters(asked)) : none,
  ]);

  const found = loadedRoutes(routes.rows, drivers.rows);
  const missing = [...wanted.routes].flatMap(([scope, key]) => (found.has(scope) ? [] : [key]));
  const world: World = {
    ...rules,
    clients: new Map(clients.rows.map((row) => [row.client_id, loadedClient(row, signOuts)])),
    routes: found,
    stops: loadedStops(wanted.stops, stops.rows),
    reports,
    known: new Map(known.rows.map((row) => [row.id, knownMutation(row)])),
    refused: new Map(refused.rows.map((row) => [contentName({ ...row, author: row.employee }), refusalOf(row)])),
  };
  return { world, lockedScopes: missing.length > 0 ? await lockedRoutes(tx, missing) : new Set() };
}

const none = { rows: [] };
const noSignOuts: ReadonlyMap<string, SignOut> = new Map();

function wantedOf(items: readonly Item[]) {
  const clients = new Set<string>();
  const byKey = new Set<string>();
  let latest = new Date(0);
  const routes = new Map<string, RouteKey>();
  const stops = new Map<string, WantedStop>();
  for (const item of items) {
    const { meaning } = item;
    const place = placeOf(item);
    if (place) clients.add(place.clientId);
    if (item.queued?.queue.byKey) {
      byKey.add(item.queued.queue.clientId);
      if (item.receivedAt > latest) latest = item.receivedAt;
    }
    if (meaning.kind !== 'command') continue;
    const { route: key, scope, stop } = meaning;
    routes.set(scope, key);
    stops.set(stopName(scope, stop), { key, scope, stop });
  }
  return { clients: [...clients], byKey, latest, routes, stops: [...stops.values()] };
}

async function lockedRoutes(tx: Tx, keys: readonly RouteKey[]): Promise<Set<string>> {
  const { rows } = await tx.query<RouteKey>(sql.existingRoutes, sql.existingRoutes.parameters(keys));
  return new Set(rows.map(routeScope));
}

interface ClientRow {
  client_id: string;
  employee: string;
  last_seq: number;
  last_hash: Buffer | null;
  last_edit_time: Date | null;
  version: number;
  revoked: boolean;
  held: boolean;
  reopened_at: Date | null;
}
const loadedClient = (row: ClientRow, signOuts: ReadonlyMap<string, SignOut>): LoadedClient => ({
  clientId: row.client_id,
  lastSeq: row.last_seq,
  lastLink: row.last_hash,
  lastEditTime: row.last_edit_time?.getTime() ?? null,
  version: row.version,
  heard: false,
  revoked: row.revoked,
  quarantinedUntil: row.held ? (row.reopened_at?.getTime() ?? Infinity) : -Infinity,
  signOut: signOuts.get(row.client_id) ?? null,
});

interface RouteRow {
  facility: string;
  id: string;
  week_end: string;
  epoch: number;
  version: number;
  header_version: number;
  name: string;
  email_flag: boolean;
  withdrawn_at: Date | null;
  status: 'O' | 'C';
  arrived: boolean;
  closed_at: Date | null;
  closed_by: 'D' | 'A' | 'F' | null;
  late: number;
  unknown_lines: number;
  newest_stamp: Date | null;
  autoclose_at: Date | null;
  forceclose_at: Date | null;
}
interface DriverRow {
  facility: string;
  route_id: string;
  week_end: string;
  employee: string;
  name: string;
  type: string;
  removed: boolean;
}

function loadedRoutes(routes: readonly RouteRow[], drivers: readonly DriverRow[]): Map<string, LoadedRoute> {
  const driversOf = new Map<string, RouteDriver[]>();
  for (const { facility, route_id, week_end, employee, name, type, removed } of drivers) {
    const scope = routeScope({ facility, id: route_id, week_end });
    const list = driversOf.get(scope) ?? [];
    if (list.length === 0) driversOf.set(scope, list);
    list.push({ id: employee, name, type, removed });
  }
  return new Map(
    routes.map((row) => {
      const key = { facility: row.facility, id: row.id, week_end: row.week_end };
      const scope = routeScope(key);
      const facts = {
        key,
        name: row.name,
        withdrawn: row.withdrawn_at !== null,
        emailFlag: row.email_flag,
        drivers: driversOf.get(scope) ?? [],
        status: row.status,
        arrived: row.arrived,
        closedAt: row.closed_at,
        closedBy: row.closed_by,
        autocloseAt: row.autoclose_at,
        forcecloseAt: row.forceclose_at,
      };
      return [
        scope,
        {
          scope,
          facts,
          epoch: row.epoch,
          version: row.version,
          headerVersion: row.header_version,
          late: row.late,
          unknownLines: row.unknown_lines,
          newestStamp: row.newest_stamp?.getTime() ?? null,
        },
      ];
    }),
  );
}

interface StopRow {
  n: number;
  version: number;
  doc: string;
  lines: string;
  removed: boolean;
  customer_since: Date | null;
  lines_since: Date | null;
  /** The author of the change at this version, where the query asks for it and it exists. */
  employee?: string | null;
  hash?: Buffer | null;
  /** Null where the hash is enough. */
  body?: string | null;
  /** The change's stamp. */
  edit_time?: Date | null;
  client?: string | null;
  seq?: number | null;
}

function loadedStops(wanted: readonly WantedStop[], rows: readonly StopRow[]): Map<string, LoadedStop> {
  const stops = new Map<string, LoadedStop>();
  for (const row of rows) {
    const named = wanted[row.n - 1];
    if (!named) continue;
    const name = stopName(named.scope, named.stop);
    const result = parseResult(row.doc);
    stops.set(name, {
      result,
      version: row.version,
      lines: row.lines,
      removed: row.removed,
      customerSince: row.customer_since,
      linesSince: row.lines_since,
      latest: hasWritten(row, result) ? latestChange(row) : (stops.get(name)?.latest ?? null),
    });
  }
  return stops;
}

/** Most stops of a day are untouched, and need no parsing. */
const parseResult = (doc: string): StopResult => (doc === untouchedDoc ? untouched : readResult(doc));
const untouchedDoc = JSON.stringify(untouched);

/** Whether a change wrote any current value. */
const hasWritten = ({ edit_time, client, seq }: StopRow, { by }: StopResult): boolean =>
  by?.some((stamp) => stamp.seq === seq && stamp.client === client && stamp.at === edit_time?.getTime()) ?? false;

/** Reads a ledger body by today's schemas, so that equal requests compare equal. */
function latestChange({ employee, hash, body }: StopRow): LatestChange | null {
  if (employee == null || hash == null) return null;
  if (body == null) return { employee, hash };
  const { name, version, args } = readBody(body);
  if (version !== 1 || (name !== 'stop.update' && name !== 'stop.skip_refuse')) return null;
  const parsed = mutationArgs[name][version].safeParse(args);
  return parsed.success ? { employee, name, content: canonicalJson(parsed.data) } : null;
}

const readBody: (body: string) => { name: string; version: number; args: unknown } = JSON.parse;

const readWarnings: (text: string) => Warning[] = JSON.parse;
const readDetails: (text: string) => ErrorDetail[] = JSON.parse;

interface RefusedRow {
  quarantine_id: string;
  id: string;
  source: string;
  employee: string;
  hash: Buffer;
}
const refusalOf = ({ quarantine_id: quarantineId, id }: RefusedRow): OpenRefusal => ({ quarantineId, id });

interface KnownRow {
  id: string;
  hash: Buffer;
  version: number | null;
  code: QuarantineCode | null;
  reason: string | null;
  details: string | null;
  warnings: string | null;
  received_at: Date;
}
const knownMutation = (row: KnownRow): KnownMutation => ({
  hash: row.hash,
  version: row.version,
  quarantined: row.code
    ? { code: row.code, reason: row.reason ?? '', details: readDetails(row.details ?? '[]') }
    : null,
  warnings: row.warnings === null ? [] : readWarnings(row.warnings),
  receivedAt: row.received_at,
});
