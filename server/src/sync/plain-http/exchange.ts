import type { Cursor, ErrorCode, PushBody, Scope } from '@tailgate/sync-protocol';
import { clientScope, currentProtocol, oldestProtocol, pullCursors, pushBody } from '@tailgate/sync-protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodMiniType } from 'zod/mini';
import { hashToken } from '../../auth/tokens.ts';
import type { Queryable } from '../../db/types.ts';
import type { Queue } from '../../mutations/change.ts';
import { MalformedPush } from '../../mutations/item.ts';
import { UnknownQueue } from '../../mutations/intake/pipeline.ts';
import { Admission } from '../../wire/admission.ts';
import { credentialsOf, type RescuerOf } from '../../wire/access.ts';
import { AppError } from '../../wire/errors.ts';
import { faultsOf } from '../../wire/schema-faults.ts';
import { findOpenClients, findOwner, openClients, type ClientAnswer, type ClientRequest } from '../clients.ts';
import { bootOf, clockOf } from '../device-clock.ts';
import type { Hub } from '../hub.ts';
import { lossTooLarge } from '../incoming.ts';
import { features, clientLimits, type SyncLimits } from '../limits.ts';
import { recordRescue } from './rescue.ts';
import { pullOnce } from './pull-once.ts';

/**
 * The caller and its credentials: a driver's session, the key of one queue, or those of an operator, who
 * submits the queue of a rescued phone in its author's name.
 */
interface Caller {
  readonly employee: string;
  readonly credential: 'token' | 'queue key' | 'operator';
  /** The author of a rescue. */
  readonly rescuer?: string;
  readonly queueKey?: string;
  /** The hash of a valid token. */
  readonly session?: Buffer;
}

/** The caller of a push, with the request id for the log. */
type Pusher = Caller & { readonly requestId: string };

export interface ExchangeDeps {
  readonly path: string;
  readonly hub: Hub;
  readonly db: Queryable;
  readonly rescuerOf: RescuerOf;
}

/**
 * `POST …/push` and `GET …/pull`: the channel for networks that block sockets, and for background sync. It uses the
 * same ledger, feed and rules. The server keeps no state between two requests.
 */
export function serveExchange(http: FastifyInstance, { path, hub, db, rescuerOf }: ExchangeDeps): void {
  const inFlight = new Map<string, number>();
  const admission = new Admission({ requests: Infinity, bytes: hub.limits.push_bytes });
  void http.register(async (app) => {
    // `parse` reads it as frames are read: an invalid item goes to quarantine, where a strict parser would refuse all of
    // them.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_: unknown, text: string) => text);
    // The server reads no megabyte from a caller without valid credentials. A queue key is checked against the queue in
    // the body.
    const onRequest = async (request: FastifyRequest): Promise<void> => {
      if ((await rescuerOf(request)) !== undefined) return;
      const { employee, credential } = await authenticate(request, hub);
      if (credential === 'token') request.driver = { employee };
    };
    app.post<{ Body: string | undefined }>(
      `${path}/push`,
      { bodyLimit: hub.limits.frame_bytes, onRequest },
      (request, reply) =>
        admission.hold(request, async () => {
          const rescuer = await rescuerOf(request);
          const caller = rescuer === undefined ? await authenticate(request, hub) : rescuerFor(request, rescuer);
          const body = read(pushBody, parse(request.body ?? ''));
          const clientId = body.client_id.toLowerCase();
          const pusher = { ...caller, requestId: request.id };
          return sendJson(reply, await push({ hub, db }, pusher, { ...body, client_id: clientId }, inFlight));
        }),
    );
    app.get(`${path}/pull`, async (request, reply) =>
      sendJson(reply, await pull(hub, db, await authenticate(request, hub), queryOf(request))),
    );
  });
}

const sendJson = (reply: FastifyReply, body: object | string): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').send(body);

const refused = (code: ErrorCode, path: string, message: string): AppError =>
  new AppError(code, { details: [{ path, message }] });

async function authenticate(request: FastifyRequest, hub: Hub): Promise<Caller> {
  const { employee, token, queueKey } = credentialsOf(request);
  if (employee === undefined || (token === undefined) === (queueKey === undefined))
    throw new AppError('MISSING_CREDENTIALS');
  if (token === undefined) return { employee, credential: 'queue key', queueKey: queueKey ?? '' };
  if (!(await hub.sessions.authenticate(employee, token))) throw new AppError('INVALID_TOKEN');
  return { employee, credential: 'token', session: hashToken(token) };
}

function rescuerFor(request: FastifyRequest, rescuer: string): Caller {
  const { employee } = credentialsOf(request);
  if (employee === undefined) throw new AppError('MISSING_CREDENTIALS');
  return { employee, credential: 'operator', rescuer };
}

async function push(
  deps: Pick<ExchangeDeps, 'hub' | 'db'>,
  caller: Pusher,
  body: PushBody,
  inFlight: Map<string, number>,
): Promise<object> {
  const { limits } = deps.hub;
  checkPush(body, limits);
  const clock = clockOf(body.clock, deps.hub.clock());
  const request = clientRequestOf(caller, body, bootOf(clock));
  // Only a caller with the right to the queue takes one of its places. Only a served push writes: a queue whose driver was
  // unregistered gets a new key, and a refusal would lose it.
  const unkeyed = { ...request, wants_queue_key: false };
  const known = await find(deps, caller, unkeyed);
  return withLimit(inFlight, body.client_id, limits.pushes_in_flight, async () => {
    const opened = known ?? (await open(deps, caller, unkeyed));
    return applyPush(deps, caller, body, { clock, ...(await settle(deps, caller, body, request, opened)) });
  });
}

function checkPush({ protocol, mutations, gone }: PushBody, { mutations_per_push: max }: SyncLimits): void {
  if (protocol < oldestProtocol || protocol > currentProtocol) throw new AppError('UNSUPPORTED_PROTOCOL');
  if (mutations.length > max)
    throw refused('TOO_LARGE', 'mutations', `${mutations.length} in one push, at most ${max}`);
  if (gone && gone.to < gone.from) throw refused('BAD_FRAME', 'gone.to', 'must not be below from');
}

/** A socket pauses while too many of its pushes are in flight; plain HTTP refuses the next one. */
async function withLimit<Result>(
  inFlight: Map<string, number>,
  clientId: string,
  max: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const underWay = inFlight.get(clientId) ?? 0;
  if (underWay >= max) throw new AppError('RATE_LIMITED', { retryAfterMs: 1_000 });
  inFlight.set(clientId, underWay + 1);
  try {
    return await work();
  } finally {
    const left = (inFlight.get(clientId) ?? 1) - 1;
    if (left === 0) inFlight.delete(clientId);
    else inFlight.set(clientId, left);
  }
}

/** @returns the contents of `welcome` and `ack` */
async function applyPush(
  deps: Pick<ExchangeDeps, 'hub' | 'db'>,
  caller: Pusher,
  body: PushBody,
  { clock, queueKey, lastSeq }: OpenClient & Pick<Queue, 'clock'>,
): Promise<object> {
  const { hub } = deps;
  const { client_id: clientId, mutations, pending, oldest_pending_at, files, device, sdk, app } = body;
  const { employee, requestId } = caller;
  const now = hub.clock();
  const reply = {
    protocol: body.protocol,
    server_time: now.toISOString(),
    epoch: String(hub.serverEpoch),
    // Only the phone of the queue receives the key.
    ...(queueKey !== null && caller.credential === 'token' && { queue_key: queueKey }),
    limits: clientLimits(hub.limits),
    features: [...features],
  };
  const rescued = caller.credential === 'operator';
  const { rescuer: user } = caller;
  if (rescued)
    hub.log.info({ client: clientId, employee, user, items: mutations.length }, 'an operator brings a queue');
  const isRead = caller.credential === 'token' && body.clock !== undefined;
  const seen = { seenAt: now, ...(isRead && { clockReadAt: now }) };
  // Only the phone reports its work and its name. A rescue leaves its last report as it is.
  if (!rescued) hub.deviceStatus.note(clientId, { pending, oldest_pending_at, files, device, sdk, app, ...seen });
  if (mutations.length === 0) return { ...reply, last_seq: lastSeq, results: [] };
  await hub.pipeline.waitForCapacity();
  const queue = {
    session: {},
    clientId,
    employee,
    requestId,
    clock,
    rescued,
    byKey: caller.credential === 'queue key',
  };
  const pushed = await hub.pipeline.push(queue, mutations).catch(refusePush);
  if (pushed.results.some(({ result }) => result === 'quarantined')) hub.feed.hint(clientScope(clientId));
  if (user !== undefined) await recordRescue(deps.db, { clientId, employee, by: user }, pushed.results);
  return { ...reply, ...pushed };
}

/** Moves the watermark past items that the phone declares lost, and makes the key that it requests. */
async function settle(
  deps: Pick<ExchangeDeps, 'hub' | 'db'>,
  caller: Caller,
  { client_id: clientId, gone }: PushBody,
  request: ClientRequest,
  opened: OpenClient,
): Promise<OpenClient> {
  const beyond = gone && (await deps.hub.skipLost({ clientId, employee: caller.employee, ...gone }));
  if (beyond) throw new AppError('BAD_FRAME', { details: [lossTooLarge('gone.to', beyond.max)] });
  // A new queue has its key already. A second request would replace it.
  const wantsKey = request.wants_queue_key === true && opened.queueKey === null;
  if (!gone && !wantsKey) return opened;
  const again = await open(deps, caller, { ...request, wants_queue_key: wantsKey });
  return { ...again, queueKey: opened.queueKey ?? again.queueKey };
}

const clientRequestOf = (
  caller: Caller,
  { client_id, device, sdk, app, wants_queue_key }: PushBody,
  boot: ClientRequest['boot'] = null,
): ClientRequest => ({
  client_id,
  employee_id: caller.employee,
  device,
  sdk,
  app,
  session: caller.session ?? null,
  boot,
  ...(caller.queueKey !== undefined && { queue_key: caller.queueKey }),
  ...(wants_queue_key !== undefined && caller.credential === 'token' && { wants_queue_key }),
});

type OpenClient = Extract<ClientAnswer, { kind: 'open' }>;

async function open(
  { hub, db }: Pick<ExchangeDeps, 'hub' | 'db'>,
  caller: Caller,
  request: ClientRequest,
): Promise<OpenClient> {
  const client =
    caller.credential === 'operator'
      ? (await openClients(db, [request], hub.clock(), 'operator'))[0]
      : await hub.openClient(request);
  if (!client) throw new AppError('INVALID_TOKEN');
  return allowed(client);
}

/** Undefined where its opening writes. */
async function find(
  { hub, db }: Pick<ExchangeDeps, 'hub' | 'db'>,
  caller: Caller,
  request: ClientRequest,
): Promise<OpenClient | undefined> {
  const client =
    caller.credential === 'operator'
      ? (await findOpenClients(db, [request], 'operator'))[0]
      : await hub.findClient(request);
  if (!client) throw new AppError('INVALID_TOKEN');
  return client.kind === 'unopened' ? undefined : allowed(client);
}

function allowed(client: ClientAnswer): OpenClient {
  if (client.kind === 'refused') throw new AppError(client.code);
  return client;
}

function refusePush(error: unknown): never {
  if (error instanceof MalformedPush) throw new AppError('BAD_FRAME', { details: error.details });
  // The queue was bound a moment ago: an operator has just revoked it, or the database is another one.
  if (error instanceof UnknownQueue) throw new AppError('CLIENT_REVOKED');
  throw error;
}

/** @returns the answer's text, with the documents as stored */
async function pull(hub: Hub, db: Queryable, caller: Caller, query: Query): Promise<string> {
  const { clientId, cursors } = query;
  const scopes = Object.keys(cursors);
  if (scopes.length > hub.limits.scopes)
    throw refused('TOO_LARGE', 'cursors', `${scopes.length}, at most ${hub.limits.scopes}`);
  if (caller.queueKey !== undefined) {
    if (clientId === '') throw refused('VALIDATION_FAILED', 'client_id', 'is needed here');
    const unnamed = { device: '', sdk: '', app: '' };
    const request = { client_id: clientId, employee_id: caller.employee, ...unnamed, queue_key: caller.queueKey };
    await open({ hub, db }, caller, request);
  } else if (clientId !== '' && ((await findOwner(db, clientId)) ?? caller.employee) !== caller.employee) {
    throw new AppError('CLIENT_OF_OTHER_EMPLOYEE');
  }
  const mayRead = (scope: Scope): boolean => caller.credential === 'token' || scope === clientScope(clientId);
  const [{ routes }, frames] = await Promise.all([
    caller.credential !== 'token' ? { routes: [] } : hub.routesOf(caller.employee),
    pullOnce(hub.feed, { employee: caller.employee, clientId, cursors, mayRead }),
  ]);
  if (!frames) throw new AppError('DATABASE_UNAVAILABLE');
  const head = JSON.stringify({ server_time: hub.clock().toISOString(), epoch: String(hub.serverEpoch), routes });
  return `${head.slice(0, -1)},"frames":[${frames.join(',')}]}`;
}

interface Query {
  readonly clientId: string;
  readonly cursors: Readonly<Record<Scope, Cursor | null>>;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function queryOf({ query }: FastifyRequest): Query {
  const text = (name: string): string => {
    const value: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
  const clientId = text('client_id').toLowerCase();
  if (clientId !== '' && !uuid.test(clientId)) throw refused('VALIDATION_FAILED', 'client_id', 'must be a UUID');
  return { clientId, cursors: read(pullCursors, parse(text('cursors') || '{}'), 'cursors') };
}

/** Undefined for invalid JSON; `read` reports it after the credentials are checked. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read<Output>(schema: ZodMiniType<Output>, value: unknown, root = ''): Output {
  if (value === undefined) throw refused('VALIDATION_FAILED', root, 'must be JSON');
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('VALIDATION_FAILED', { details: faultsOf(parsed.error.issues, root) });
}
