import { hash } from 'node:crypto';
import type { ErrorDetail, InstantField, Mutation, MutationName, RouteKey } from '@tailgate/sync-protocol';
import {
  canonicalJson,
  contentOf,
  deviceTimesOf,
  isMutationName,
  loadReportArgs,
  mutation,
  mutationArgs,
  mutationIdentity,
  routeScope,
  skipRefuseArgs,
  stopUpdateArgs,
} from '@tailgate/sync-protocol';
import type { $ZodIssue } from 'zod/v4/core';
import * as z from 'zod/mini';
import { faultsOf } from '../wire/schema-faults.ts';
import { compileReader } from '../wire/schema-reader.ts';
import type {
  Actor,
  Change,
  Command,
  CommandMeaning,
  Item,
  Meaning,
  QuarantineCode,
  Queue,
  QueueItem,
  QueuePlace,
  ReportChange,
} from './change.ts';
import { deepCanonicalJson } from './deep-json.ts';

/** An item's place in its queue; null without a queue. */
export function placeOf({ queued, release }: Item): QueuePlace | null {
  if (!queued) return release?.place ?? null;
  const { seq, prevHash, queue } = queued;
  return { clientId: queue.clientId, seq, prevHash };
}

/** The author as tables store it; blank for a caller of an open endpoint. */
export function authorOf({ actor }: Pick<Item, 'actor'>): string {
  if (actor.kind === 'driver') return actor.employee;
  if (actor.kind === 'anonymous') return '';
  return actor.kind === 'office' ? actor.user : 'timer';
}

/** A pushed item without a readable id or seq. The server cannot answer such an item, so it refuses the whole frame. */
export class MalformedPush extends Error {
  readonly details: readonly ErrorDetail[];
  constructor(faults: readonly ErrorDetail[]) {
    super('an item of this push has no readable id or seq');
    this.details = faults;
  }
}

/** Fields that an item takes from what brings it; all others have the value of a change without a queue. */
export type ItemFields = Pick<Item, 'id' | 'body' | 'name' | 'source' | 'actor' | 'receivedAt' | 'meaning'> &
  Partial<Item>;

/** The only place that builds an item, so that all items of a batch have one shape. */
export function itemOf(fields: ItemFields): Item {
  const { id, body, name, source, actor, receivedAt, meaning, requestId } = fields;
  const item: Item = {
    id,
    hash: fields.hash ?? sha256(body),
    body,
    name,
    source,
    actor,
    paths: fields.paths ?? 'current',
    receivedAt,
    capturedAt: fields.capturedAt ?? null,
    editTime: fields.editTime ?? null,
    queued: fields.queued ?? null,
    dedupeByContent: fields.dedupeByContent ?? false,
    meaning,
    requestId,
  };
  if (!fields.release && !fields.act) return item;
  return { ...item, ...(fields.release && { release: fields.release }), act: fields.act };
}

export function itemsOfPush(queue: Queue, raw: readonly unknown[], receivedAt: Date): Item[] {
  return withBounds(raw.map((value, index) => itemOfPush(queue, value, index, receivedAt)));
}

/** Each item was made before the ones behind it: their measured times bound an item of another run. */
function withBounds(items: readonly Item[]): Item[] {
  let notAfter = Infinity;
  const bound = (item: Item): Item => {
    const { queued } = item;
    if (!queued) return item;
    const measured = timeInRun(queued);
    if (measured === undefined) return notAfter < Infinity ? { ...item, queued: { ...queued, notAfter } } : item;
    notAfter = Math.min(notAfter, measured);
    return item;
  };
  return items.toReversed().map(bound).toReversed();
}

/** When an item was made, by the monotonic clock of the run that its device reads now; undefined for one of another run. */
export const timeInRun = ({ queue: { clock }, bootId, monotonicMs }: QueueItem): number | undefined =>
  bootId === clock.bootId ? Math.round(clock.serverNow - (clock.monotonicMs - monotonicMs)) : undefined;

function itemOfPush(queue: Queue, raw: unknown, index: number, receivedAt: Date): Item {
  try {
    return readItem(queue, raw, index, receivedAt);
  } catch (error) {
    // The nesting is too deep for the server, on every attempt. Without quarantine the queue would wait for ever.
    if (error instanceof RangeError) return brokenItem(queue, raw, index, tooDeep, receivedAt);
    throw error;
  }
}

function readItem(queue: Queue, raw: unknown, index: number, receivedAt: Date): Item {
  const parsed = readMutation(raw);
  if (!parsed.success) {
    const reason = 'the envelope of this mutation is malformed';
    const meaning = unreadable('VALIDATION_FAILED', reason, faultsOf(parsed.error.issues));
    return brokenItem(queue, raw, index, meaning, receivedAt);
  }
  const sealed = parsed.data;
  const { id, name, seq, prev_hash: prevHash, boot_id: bootId, monotonic_ms: monotonicMs } = sealed;
  return itemOf({
    id,
    body: bodyOf(raw),
    name,
    source: 'sync',
    actor: driverOf(queue),
    receivedAt,
    capturedAt: new Date(sealed.captured_at),
    queued: { queue, seq, prevHash, bootId, monotonicMs },
    meaning: meaningOf(sealed),
    requestId: queue.requestId,
  });
}

const readMutation = compileReader(mutation);
const readStopUpdate = compileReader(stopUpdateArgs);

/** The content as received, with unknown fields: the device's hash covers them. */
const bodyOf = (raw: unknown): string => canonicalJson(content(raw));

const content = (raw: unknown): unknown => (typeof raw === 'object' && raw !== null ? contentOf(raw) : raw);

/** The parts of a malformed envelope that may be valid. */
const readableParts = z.object({
  name: z.catch(z.string(), ''),
  prev_hash: z.catch(mutation.shape.prev_hash, null),
});

/** Builds an unreadable item, with its content as received. Only its id and seq must be readable (I5). */
function brokenItem(queue: Queue, raw: unknown, index: number, meaning: Meaning, receivedAt: Date): Item {
  const identity = mutationIdentity.safeParse(raw);
  if (!identity.success) throw new MalformedPush(faultsOf(identity.error.issues, `mutations.${index}`));
  const { id, seq } = identity.data;
  const { name, prev_hash: prevHash } = readableParts.parse(raw);
  return itemOf({
    id,
    body: meaning === tooDeep ? deepCanonicalJson(content(raw)) : bodyOf(raw),
    name: name.slice(0, 40),
    source: 'sync',
    actor: driverOf(queue),
    receivedAt,
    queued: { queue, seq, prevHash, bootId: '', monotonicMs: 0 },
    meaning,
    requestId: queue.requestId,
  });
}

export function itemOfChange(change: Change): Item {
  const { name, version, args, route } = change;
  // Blank parts: the edge found no route that the request can mean. The quarantine keeps the request for the office.
  const named = route.facility !== '' && route.week_end !== '';
  const noRoute = unreadable('ROUTE_NOT_FOUND', `no route ${route.id} is or was this driver's`, []);
  const meaning = named ? meaningOfChange(change) : noRoute;
  return itemOf({ ...change, body: canonicalJson({ args, name, version }), meaning });
}

export function itemOfReport({ report, ...change }: ReportChange): Item {
  const name = 'report.load_condition';
  return itemOf({
    ...change,
    body: canonicalJson({ args: { report }, name, version: 1 }),
    name,
    source: 'rest',
    actor: { kind: 'anonymous' },
    editTime: change.receivedAt,
    meaning: { kind: 'report', report },
  });
}

function meaningOfChange({ name, version, args, command, route, stop }: Change): Meaning {
  if (command) return commandMeaning(route, stop, command);
  return name === 'route.close' ? commandMeaning(route, stop, { name, args }) : readArguments(name, version, args);
}

/** Reads the command of a stored content. */
export function readContent(body: string): Meaning {
  try {
    const parsed = storedContent.safeParse(JSON.parse(body));
    if (parsed.success) return meaningOf(parsed.data);
    return unreadable('VALIDATION_FAILED', 'this mutation is malformed', faultsOf(parsed.error.issues));
  } catch (error) {
    if (error instanceof RangeError) return tooDeep;
    throw error;
  }
}

const storedContent = z.object({ name: z.string(), version: z.number(), args: z.unknown() });

function meaningOf({ name, version, args }: Pick<Mutation, 'name' | 'version' | 'args'>): Meaning {
  if (isMutationName(name) && Object.hasOwn(mutationArgs[name], version)) return readArguments(name, version, args);
  return unreadable('UNKNOWN_MUTATION', `this server knows no ${name} version ${version}`, []);
}

/** Reads arguments. An upcast of a superseded version to the newest belongs here. */
function readArguments(name: MutationName, _version: number, args: unknown): Meaning {
  if (name === 'stop.update') {
    const parsed = readStopUpdate(args);
    if (!parsed.success) return badArguments(parsed.error.issues);
    return commandMeaning(parsed.data.route, parsed.data.stop.id, { name, args: parsed.data }, deviceTimesOf(args));
  }
  if (name === 'report.load_condition') {
    const parsed = loadReportArgs.safeParse(args);
    if (!parsed.success) return badArguments(parsed.error.issues);
    return { kind: 'report', report: parsed.data.report };
  }
  const parsed = skipRefuseArgs.safeParse(args);
  if (!parsed.success) return badArguments(parsed.error.issues);
  return commandMeaning(parsed.data.route, parsed.data.stop_id, { name, args: parsed.data }, deviceTimesOf(args));
}

const commandMeaning = (
  route: RouteKey,
  stop: number,
  command: Command,
  deviceTimes: readonly InstantField[] = [],
): CommandMeaning => ({
  kind: 'command',
  route,
  scope: routeScope(route),
  stop,
  command,
  deviceTimes,
});

const badArguments = (issues: readonly $ZodIssue[]): Meaning =>
  unreadable('VALIDATION_FAILED', 'the arguments of this mutation are malformed', faultsOf(issues, 'args'));

const unreadable = (code: QuarantineCode, reason: string, faults: readonly ErrorDetail[]): Meaning => ({
  kind: 'unreadable',
  fault: { code, reason, details: faults },
});

const tooDeep = unreadable('VALIDATION_FAILED', 'nested too deeply', []);

const driverOf = ({ employee }: Queue): Actor => ({ kind: 'driver', employee });

export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');
