import { headerDocument, resultDocument, routeScope } from '@tailgate/sync-protocol';
import { awaitEvidence } from '../../assets/evidence.ts';
import {
  boolArray,
  byteaArray,
  instantArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  uuidArray,
} from '../../db/arrays.ts';
import { sending, type Sent } from '../../db/transaction.ts';
import type { Tx } from '../../db/types.ts';
import type { RouteFacts } from '../../routes/header.ts';
import { routeHeader } from '../../routes/header.ts';
import type { CommittedDocument, QueuePlace, RouteCommit } from '../change.ts';
import type { Changes, LedgerEntry } from './changes.ts';
import { keyColumns } from './load.ts';
import { namedRoute, namedStop } from './named-route.ts';
import { stopName } from './world.ts';
import { authorOf, placeOf, type Item } from '../item.ts';
import { countRepeated, releaseKept } from '../quarantine/quarantine-sql.ts';
import type { QuarantineEntry, RepeatedRefusal } from './refusals.ts';
import { saveReports } from './report-rows.ts';
import * as sql from './sql.ts';
import type { Wakeups } from '../jobs/wakeups.ts';

/** Sends all changes of a batch, one statement a table; results in what the feed will say of them after the commit. */
export function saveChanges(tx: Tx, changes: Changes, wakeups: Wakeups): Sent<readonly RouteCommit[]> {
  const stops = changes.stops.map((stop) => ({ ...stop, text: JSON.stringify(stop.result) }));
  const bare = commitsOf(changes.routes, stops);
  const alarms = changes.routes.flatMap(({ before, after }) => newAlarms(before.facts, after.facts));
  const drivers = changes.routes.flatMap(({ before, after }) => driversToTell(before.facts, after.facts));
  const jobs = [
    ...(changes.mails.length > 0 ? [sending(tx, (one) => wakeups.mail(one, changes.mails))] : []),
    ...(alarms.length > 0 ? [sending(tx, (one) => wakeups.closeAt(one, alarms))] : []),
    ...(changes.reports.length > 0 ? [sending(tx, wakeups.replicateRows)] : []),
    ...(bare.length > 0 ? [sending(tx, (one) => wakeups.replicate(one))] : []),
  ];
  // All but the jobs are sent as they are called; where one is refused PostgreSQL refuses all that follow.
  const rows = Promise.all([
    withEvidence(tx, bare, stops),
    stops.length > 0 && saveStops(tx, stops),
    changes.ledger.length > 0 && saveLedger(tx, changes.ledger),
    changes.routes.length > 0 && saveRoutes(tx, changes.routes),
    changes.clients.length > 0 && saveClients(tx, changes.clients),
    changes.quarantine.length > 0 && saveQuarantine(tx, changes.quarantine),
    changes.refusedAgain.length > 0 && saveRefusedAgain(tx, changes.refusedAgain),
    changes.released.length > 0 && saveReleases(tx, changes.released),
    changes.repeated.length > 0 && saveRepeated(tx, changes.repeated),
    changes.incidents.length > 0 && saveIncidents(tx, changes.incidents),
    changes.reports.length > 0 && saveReports(tx, changes.reports),
    bare.length > 0 && tx.query(sql.notify, [scopesPayload(bare.map(({ scope }) => scope))]),
    drivers.length > 0 && tx.query(sql.notifyDrivers, [textArray(drivers)]),
  ]);
  return {
    sent: Promise.all(jobs.map(({ sent }) => sent)),
    result: Promise.all([rows, ...jobs.map(({ result }) => result)]).then(([[commits]]) => commits),
  };
}

/** NOTIFY takes less than 8,000 bytes; past that the hint is `*`: look at everything that you follow. */
function scopesPayload(scopes: readonly string[]): string {
  const payload = scopes.join(' ');
  return payload.length < 7_500 ? payload : '*';
}

/** A stop that has changed, and its result document as it is stored and told. */
type WrittenStop = Changes['stops'][number] & { readonly text: string };

function commitsOf(routes: Changes['routes'], stops: readonly WrittenStop[]): RouteCommit[] {
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

/** Notes which files stops name now, and of which of those stops some are not here. */
async function withEvidence(
  tx: Tx,
  commits: readonly RouteCommit[],
  stops: readonly WrittenStop[],
): Promise<readonly RouteCommit[]> {
  const naming = stops.flatMap(({ key, scope, stop, evidence }) =>
    evidence ? [{ key, scope, stop, assets: [...evidence] }] : [],
  );
  if (naming.length === 0) return commits;
  const awaited = new Set((await awaitEvidence(tx, naming)).map(({ key, stop }) => stopName(routeScope(key), stop)));
  const evidenceOf = new Map<string, { stop: number; awaited: boolean }[]>();
  for (const { scope, stop } of naming) {
    const told = evidenceOf.get(scope) ?? [];
    evidenceOf.set(scope, [...told, { stop, awaited: awaited.has(stopName(scope, stop)) }]);
  }
  return commits.map((commit) => ({ ...commit, evidence: evidenceOf.get(commit.scope) ?? [] }));
}

function saveStops(tx: Tx, stops: readonly WrittenStop[]) {
  return tx.query(sql.saveStops, [
    ...keyColumns(stops.map(({ key }) => key)),
    int2Array(stops.map(({ stop }) => stop)),
    int8Array(stops.map(({ version }) => version)),
    textArray(stops.map(({ result }) => result.status)),
    textArray(stops.map(({ text }) => text)),
  ]);
}

function saveLedger(tx: Tx, entries: readonly LedgerEntry[]) {
  const items = entries.map(({ item }) => item);
  const places = items.map(placeOf);
  return tx.query(sql.saveLedger, [
    textArray(entries.map(({ key }) => key.facility)),
    uuidArray(items.map(({ id }) => id)),
    textArray(entries.map(({ key }) => key.id)),
    textArray(entries.map(({ key }) => key.week_end)),
    int2Array(entries.map(({ stop }) => stop)),
    int8Array(entries.map(({ version }) => version)),
    textArray(items.map(({ source }) => source)),
    uuidArray(places.map((place) => place?.clientId ?? null)),
    int8Array(places.map((place) => place?.seq ?? null)),
    byteaArray(places.map(linkBytes)),
    byteaArray(items.map(({ hash }) => hash)),
    textArray(items.map(authorOf)),
    instantArray(items.map(({ capturedAt }) => capturedAt)),
    instantArray(entries.map(({ editTime }) => editTime)),
    instantArray(items.map(({ receivedAt }) => receivedAt)),
    textArray(entries.map(({ result }) => result)),
    textArray(entries.map(({ warnings }) => (warnings.length > 0 ? JSON.stringify(warnings) : null))),
    textArray(items.map(({ body }) => body)),
  ]);
}

function saveRoutes(tx: Tx, routes: Changes['routes']) {
  const after = routes.map((route) => route.after);
  const facts = after.map((route) => route.facts);
  return tx.query(sql.saveRoutes, [
    ...keyColumns(facts.map(({ key }) => key)),
    int8Array(after.map(({ version }) => version)),
    int8Array(after.map(({ headerVersion }) => headerVersion)),
    textArray(facts.map(({ status }) => status)),
    boolArray(facts.map(({ arrived }) => arrived)),
    instantArray(facts.map(({ closedAt }) => closedAt)),
    textArray(facts.map(({ closedBy }) => closedBy)),
    int4Array(after.map(({ late }) => late)),
    instantArray(facts.map(({ autocloseAt }) => autocloseAt)),
    instantArray(facts.map(({ forcecloseAt }) => forcecloseAt)),
    int4Array(after.map(({ unknownLines }) => unknownLines)),
    instantArray(after.map(({ newestStamp }) => newestStamp)),
  ]);
}

function saveClients(tx: Tx, clients: Changes['clients']) {
  return tx.query(sql.saveClients, [
    uuidArray(clients.map(({ clientId }) => clientId)),
    int8Array(clients.map(({ lastSeq }) => lastSeq)),
    byteaArray(clients.map(({ lastLink }) => lastLink)),
    instantArray(clients.map(({ lastEditTime }) => lastEditTime)),
    int8Array(clients.map(({ version }) => version)),
  ]);
}

function saveReleases(tx: Tx, released: Changes['released']) {
  return tx.query(releaseKept, [
    uuidArray(released.map(({ id }) => id)),
    textArray(released.map(({ by }) => by)),
    textArray(released.map(({ note }) => note)),
    int8Array(released.map(({ version }) => version)),
  ]);
}

function saveRefusedAgain(tx: Tx, repeated: readonly RepeatedRefusal[]) {
  const items = repeated.map(({ item }) => item);
  return tx.query(countRepeated, [
    uuidArray(repeated.map(({ quarantineId }) => quarantineId)),
    int4Array(repeated.map(({ attempts }) => attempts)),
    instantArray(items.map(({ receivedAt }) => receivedAt)),
    instantArray(repeated.map(({ editTime }) => editTime)),
    textArray(items.map(({ paths }) => paths)),
    textArray(repeated.map(({ fault }) => fault.code)),
    textArray(repeated.map(({ fault }) => fault.reason)),
    textArray(repeated.map(({ fault }) => JSON.stringify(fault.details))),
  ]);
}

function saveQuarantine(tx: Tx, entries: readonly QuarantineEntry[]) {
  const items = entries.map(({ item }) => item);
  const keys = entries.map(({ key, item }) => key ?? namedRoute(item.body));
  return tx.query(sql.saveQuarantine, [
    entries.map(({ quarantineId }) => quarantineId),
    items.map(({ id }) => id),
    byteaArray(items.map(({ hash }) => hash)),
    items.map(({ queued }) => queued?.queue.clientId ?? null),
    items.map(({ queued }) => queued?.seq ?? null),
    entries.map(({ clientVersion }) => clientVersion),
    textArray(items.map(authorOf)),
    textArray(keys.map((key) => key.facility)),
    textArray(keys.map((key) => key.id)),
    textArray(keys.map((key) => key.week_end)),
    entries.map(({ stop, item }) => stop ?? namedStop(item.body)),
    // A name of a broken item may hold what text columns refuse; the body has it in full.
    textArray(items.map(({ name }) => name.replaceAll('\0', ''))),
    textArray(entries.map(({ fault }) => fault.code)),
    textArray(entries.map(({ fault }) => fault.reason)),
    textArray(entries.map(({ fault }) => JSON.stringify(fault.details))),
    byteaArray(items.map(({ body }) => Buffer.from(body))),
    items.map(({ receivedAt }) => receivedAt),
    textArray(items.map(({ source }) => source)),
    textArray(items.map(({ paths }) => paths)),
    instantArray(items.map(({ capturedAt }) => capturedAt)),
    instantArray(entries.map(({ editTime }) => editTime)),
    byteaArray(items.map((item) => linkBytes(placeOf(item)))),
  ]);
}

function saveRepeated(tx: Tx, items: readonly Item[]) {
  const places = items.map(placeOf);
  return tx.query(sql.saveRepeated, [
    uuidArray(places.map((place) => place?.clientId ?? null)),
    int8Array(places.map((place) => place?.seq ?? null)),
    uuidArray(items.map(({ id }) => id)),
    byteaArray(items.map(({ hash }) => hash)),
    byteaArray(places.map(linkBytes)),
  ]);
}

function saveIncidents(tx: Tx, incidents: Changes['incidents']) {
  return tx.query(sql.saveIncidents, [
    incidents.map(({ kind }) => kind),
    incidents.map(({ clientId }) => clientId),
    incidents.map(({ employee }) => employee),
    textArray(incidents.map(({ details }) => details)),
  ]);
}

const linkBytes = (place: QueuePlace | null): Buffer | null =>
  place === null || place.prevHash === null ? null : Buffer.from(place.prevHash, 'base64url');

/** A route that has closed is another line in the lists of its drivers, on whatever node they are. */
function driversToTell(before: RouteFacts, after: RouteFacts): string[] {
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
