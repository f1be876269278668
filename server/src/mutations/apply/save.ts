import {
  headerDocument,
  resultDocument,
  routeKey,
  routeScope,
  skipRefuseArgs,
  type RouteKey,
} from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { recordActs, type Act } from '../../acts/sql.ts';
import { awaitEvidence } from '../../assets/evidence.ts';
import { textArray } from '../../db/arrays.ts';
import type { ColumnStatement } from '../../db/columns.ts';
import { sending, type Sent } from '../../db/transaction.ts';
import type { Tx } from '../../db/types.ts';
import type { RouteFacts } from '../../routes/header.ts';
import { routeHeader } from '../../routes/header.ts';
import type { CommittedDocument, Item, RouteCommit } from '../change.ts';
import type { Changes } from './changes.ts';
import { stopName } from './world.ts';
import { placeOf } from '../item.ts';
import { countRepeated, markReleased } from '../quarantine/quarantine-sql.ts';
import type { QuarantineEntry } from './refusals.ts';
import { saveReports } from './report-rows.ts';
import * as sql from './sql.ts';
import { MAIL_STATEMENTS, type Wakeups } from '../jobs/wakeups.ts';

/** Sends all changes of a batch, one statement a table. Returns the commits that the feed sends after the commit. */
export function saveChanges(
  tx: Tx,
  changes: Changes,
  acts: readonly Act[],
  wakeups: Wakeups,
): Sent<readonly RouteCommit[]> {
  const stops = changes.stops.map((stop) => ({ ...stop, text: JSON.stringify(stop.result) }));
  const bare = commitsOf(changes.routes, stops);
  const alarms = changes.routes.flatMap(({ before, after }) => newAlarms(before.facts, after.facts));
  const drivers = changes.routes.flatMap(({ before, after }) => affectedDrivers(before.facts, after.facts));
  const jobs = [
    ...(changes.mails.length > 0 ? [sending(tx, (one) => wakeups.mail(one, changes.mails), MAIL_STATEMENTS)] : []),
    ...(alarms.length > 0 ? [sending(tx, (one) => wakeups.closeAt(one, alarms))] : []),
    ...(changes.reports.length > 0 ? [sending(tx, wakeups.replicateRows)] : []),
    ...(bare.length > 0 ? [sending(tx, (one) => wakeups.replicate(one))] : []),
    ...(changes.released.length > 0 ? [whole(release(tx, changes.released))] : []),
  ];
  // These statements are sent at once, the jobs later. If PostgreSQL refuses one, it refuses all that follow.
  const rows = Promise.all([
    withEvidence(tx, bare, stops),
    saveAll(tx, sql.saveStops, stops),
    saveAll(tx, sql.saveLedger, changes.ledger.map(withPlace)),
    saveAll(tx, sql.saveRoutes, changes.routes),
    saveAll(tx, sql.saveClients, changes.clients),
    saveAll(tx, sql.saveQuarantine, changes.quarantine.map(withNames).map(withPlace)),
    saveAll(tx, countRepeated, changes.refusedAgain),
    saveAll(
      tx,
      sql.saveRepeated,
      changes.repeated.map((item) => withPlace({ item })),
    ),
    saveAll(tx, sql.saveIncidents, changes.incidents),
    saveAll(tx, recordActs, acts),
    changes.reports.length > 0 && saveReports(tx, changes.reports),
    bare.length > 0 && tx.query(sql.notify, [scopesPayload(bare.map(({ scope }) => scope))]),
    drivers.length > 0 && tx.query(sql.notifyDrivers, [textArray(drivers)]),
  ]);
  return {
    sent: Promise.all(jobs.map(({ sent }) => sent)),
    result: Promise.all([rows, ...jobs.map(({ result }) => result)]).then(([[commits]]) => commits),
  };
}

/** Work of several trips: the commit is sent after its end. */
const whole = (result: Promise<void>): Sent<void> => ({ sent: result, result });

/** Marks entries as released, and notifies their phones. */
async function release(tx: Tx, released: Changes['released']): Promise<void> {
  const { rows } = await tx.query<{ scope: string }>(markReleased, markReleased.parameters(released));
  if (rows.length > 0) await tx.query(sql.notify, [scopesPayload(rows.map(({ scope }) => scope))]);
}

/**
 * NOTIFY accepts less than 8,000 bytes. Above that the payload is `*`: every listener reads all routes that it follows.
 */
function scopesPayload(scopes: readonly string[]): string {
  const payload = scopes.join(' ');
  return payload.length < 7_500 ? payload : '*';
}

/** Sends one statement for all entries, or none where there are no entries. */
const saveAll = <Entry>(tx: Tx, statement: ColumnStatement<Entry>, entries: readonly Entry[]) =>
  entries.length > 0 ? tx.query(statement, statement.parameters(entries)) : undefined;

const withPlace = <Entry extends { readonly item: Item }>(entry: Entry) => ({ ...entry, place: placeOf(entry.item) });

/** The office finds an entry by the route and stop that it names, also where the item is unreadable. */
const withNames = (entry: QuarantineEntry): sql.NamedEntry => ({
  ...entry,
  key: entry.key ?? namedRoute(entry.item.body),
  stop: entry.stop ?? namedStop(entry.item.body),
});

function commitsOf(routes: Changes['routes'], stops: readonly sql.WrittenStop[]): RouteCommit[] {
  const documents = new Map<string, CommittedDocument[]>();
  for (const { before, after } of routes) {
    const header = after.headerVersion !== before.headerVersion;
    documents.set(
      after.scope,
      header
        ? [
            {
              key: headerDocument,
              version: after.headerVersion,
              previousVersion: before.headerVersion,
              text: JSON.stringify(routeHeader(after.facts)),
            },
          ]
        : [],
    );
  }
  for (const { scope, stop, version, before, text } of stops)
    documents.get(scope)?.push({ key: resultDocument(stop), version, previousVersion: before, text });
  return routes.map(({ before, after }) => ({
    key: after.facts.key,
    scope: after.scope,
    epoch: after.epoch,
    from: before.version,
    to: after.version,
    documents: documents.get(after.scope) ?? [],
    evidence: [],
  }));
}

/** Records the files that stops name, and adds to the commits which of the stops miss some. */
async function withEvidence(
  tx: Tx,
  commits: readonly RouteCommit[],
  stops: readonly sql.WrittenStop[],
): Promise<readonly RouteCommit[]> {
  const naming = stops.flatMap(({ key, scope, stop, evidence }) =>
    evidence ? [{ key, scope, stop, assets: [...evidence] }] : [],
  );
  if (naming.length === 0) return commits;
  const awaited = new Set((await awaitEvidence(tx, naming)).map(({ key, stop }) => stopName(routeScope(key), stop)));
  const evidenceOf = new Map<string, { stop: number; awaited: boolean }[]>();
  for (const { scope, stop } of naming) {
    const known = evidenceOf.get(scope) ?? [];
    evidenceOf.set(scope, [...known, { stop, awaited: awaited.has(stopName(scope, stop)) }]);
  }
  return commits.map((commit) => ({ ...commit, evidence: evidenceOf.get(commit.scope) ?? [] }));
}

/** The lists of a route's drivers change where its status changes. These drivers may be on any node. */
function affectedDrivers(before: RouteFacts, after: RouteFacts): string[] {
  return before.status === after.status ? [] : after.drivers.map(({ id }) => id);
}

interface Deadlines {
  readonly autocloseAt: Date | null;
  readonly forcecloseAt: Date | null;
}
function newAlarms(before: Deadlines, after: Deadlines): Date[] {
  const fresh = [
    after.autocloseAt !== before.autocloseAt && after.autocloseAt,
    after.forcecloseAt !== before.forcecloseAt && after.forcecloseAt,
  ];
  return fresh.filter((alarm) => alarm instanceof Date);
}

const naming = z.object({ args: z.object({ route: z.record(z.string(), z.unknown()) }) });

/**
 * The route that an unreadable item names, as far as it is readable; blank parts otherwise. The office finds the item
 * by it.
 */
function namedRoute(body: string): RouteKey {
  const named = naming.safeParse(JSON.parse(body)).data?.args.route ?? {};
  const part = (name: keyof RouteKey): string => routeKey.shape[name].safeParse(named[name]).data ?? '';
  return { facility: part('facility'), id: part('id'), week_end: part('week_end') };
}

const stopNaming = z.object({
  args: z.object({ stop: z.optional(z.object({ id: z.unknown() })), stop_id: z.optional(z.unknown()) }),
});

/** The stop that an unreadable item names; null where it is unreadable. */
function namedStop(body: string): number | null {
  const { stop, stop_id } = stopNaming.safeParse(JSON.parse(body)).data?.args ?? {};
  return skipRefuseArgs.shape.stop_id.safeParse(stop?.id ?? stop_id).data ?? null;
}
