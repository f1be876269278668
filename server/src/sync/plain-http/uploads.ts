import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { assetId, assetIdBytes, assetSalt, formatAssetId } from '@tailgate/sync-protocol';
import { TUS_RESUMABLE } from '@tus/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { charge } from '../../assets/quota.ts';
import { committedAssetId, ResumableUploads } from '../../assets/resumable.ts';
import type { UploadDeps } from '../../assets/upload.ts';
import type { Sessions } from '../../auth/sessions.ts';
import type { Log } from '../../runtime/log.ts';
import { openClients } from '../clients.ts';
import type { TusMetadata } from '../../assets/tus-store.ts';
import { TusStore } from '../../assets/tus-store.ts';
import { credentialsOf } from '../../wire/access.ts';
import { AppError } from '../../wire/errors.ts';
import { headerFault } from './tus-errors.ts';
import type { TusRequest } from './tus-server.ts';
import { TusServer } from './tus-server.ts';

export interface UploadOptions {
  readonly assets: UploadDeps;
  readonly sessions: Pick<Sessions, 'authenticate'>;
  /** The epoch of the database, as in `welcome`. */
  readonly epoch: number;
  /** The response headers that scripts of other origins may read. */
  readonly readableHeaders: readonly string[];
  readonly log: Log;
}

const uploadPath = '/api/sync/uploads';
/** A request costs statements, too, so each counts at least this much. */
const minCounted = 4 * 1024;
/** The next request for the same upload ends one whose link broke without notice after this time. */
const drainMs = 1_000;

/**
 * `POST
 * HEAD
 * PATCH
 * DELETE /api/sync/uploads…`: files by tus 1.0 (https://tus.io/protocols/resumable-upload), with a token or a queue
 * key, under any ACCESS (decision 54). An upload's address ends in the id of its asset, so a client that lost the
 * address can still continue. For other tus clients the server makes the id and returns it in `Location`.
 */
export async function mountUploads(http: FastifyInstance, options: UploadOptions): Promise<void> {
  const { assets, readableHeaders, log } = options;
  const requests = new AsyncLocalStorage<TusRequest>();
  const tus = new TusServer(
    {
      path: uploadPath,
      datastore: new TusStore(new ResumableUploads(assets), () => requests.getStore()?.owner, assets.clock),
      maxSize: assets.limits.fileBytes,
      generateUrl: ({ url }, { id }) => locationOf(url, id),
      lockDrainTimeout: drainMs,
      // One rule sets the CORS headers of all answers (http/server/browser-rules.ts).
      allowedOrigins: () => false,
      // tus would replace the exposed headers with its own, so it gets the whole list.
      exposedHeaders: [...readableHeaders],
      namingFunction: ({ headers }, metadata = {}) => nameUpload(Number(headers.get('upload-length')), metadata),
    },
    requests,
    log,
  );

  await http.register(async (scope) => {
    // tus reads the bodies itself, as streams.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      // Every answer of tus has this header, also a refusal before the library.
      reply.header('tus-resumable', TUS_RESUMABLE);
      const sender = await senderOf(request, options);
      if (sender === undefined) throw new AppError(deniedAs(request));
      const { owner } = sender;
      const account = { caller: sender.account, now: assets.clock() };
      await charge(assets.db, { ...account, bytes: minCounted, max: sender.hourBytes });
      // Files of one epoch may be missing in the next, and a phone may upload before any welcome.
      reply.header('server-epoch', options.epoch);
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      dropHeader(request.raw, 'x-forwarded-proto');
      const before = request.raw.socket.bytesRead;
      await requests.run({ id: request.id, owner }, () => tus.handle(request.raw, reply.raw));
      // Charged afterwards by received bytes: a phone with a bad link announces its photo a hundred times.
      const bytes = request.raw.socket.bytesRead - before;
      if (bytes > minCounted)
        await charge(assets.db, { ...account, bytes, max: Number.MAX_SAFE_INTEGER }).catch((err: unknown) =>
          log.warn({ err }, 'an upload was not counted'),
        );
      return reply;
    };
    for (const url of [uploadPath, `${uploadPath}/:asset_id`])
      scope.route({ method: ['POST', 'PATCH', 'HEAD', 'DELETE', 'OPTIONS'], url, handler });
  });
}

/** Relative to the address of the request: a proxy may add a prefix to it that this server does not see. */
const locationOf = (url: string, id: string): string => (/\/uploads(\?|$)/.test(url) ? `uploads/${id}` : id);

/**
 * Hides a header from the tus library, which reads `rawHeaders`. The library answers 400 to the `x-forwarded-proto` of
 * two proxies (`https, http`). It does not need the header, because `Location` is relative.
 */
function dropHeader({ rawHeaders }: IncomingMessage, name: string): void {
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2)
    if (rawHeaders[i]?.toLowerCase() === name) rawHeaders.splice(i, 2);
}

/** The sender of a file. Only the owner of an upload may continue it, and its bytes count towards the account. */
interface Sender {
  readonly owner: string;
  readonly account: string;
  readonly hourBytes: number;
}

/**
 * Identified by a valid token or queue key, else undefined. Held queues have an account of their own: an unregistered
 * phone cannot use up the quota of the driver whose name it bears.
 */
async function senderOf(request: FastifyRequest, { assets, sessions }: UploadOptions): Promise<Sender | undefined> {
  const { employee, token, queueKey } = credentialsOf(request);
  if (employee === undefined) return undefined;
  const { hourBytes, quarantinedHourBytes } = assets.limits;
  const owner = `driver ${employee}`;
  const driver = { owner, account: owner, hourBytes };
  if (token !== undefined) return (await sessions.authenticate(employee, token)) ? driver : undefined;
  const opening = { client_id: clientIdOf(request), employee_id: employee, device: '', sdk: '', app: '' };
  if (queueKey === undefined || opening.client_id === undefined) return undefined;
  const [answer] = await openClients(
    assets.db,
    [{ ...opening, client_id: opening.client_id, queue_key: queueKey, wants_queue_key: false }],
    assets.clock(),
  );
  if (answer?.kind !== 'open') return undefined;
  return answer.quarantinesItems
    ? { owner, account: `held queues of ${owner}`, hourBytes: quarantinedHourBytes }
    : driver;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function clientIdOf({ headers }: FastifyRequest): string | undefined {
  const shown = headers['client_id'] ?? headers['client-id'];
  return typeof shown === 'string' && uuid.test(shown) ? shown.toLowerCase() : undefined;
}

function deniedAs(request: FastifyRequest): 'MISSING_CREDENTIALS' | 'INVALID_TOKEN' {
  const { employee, token, queueKey } = credentialsOf(request);
  return employee !== undefined && (token ?? queueKey) !== undefined ? 'INVALID_TOKEN' : 'MISSING_CREDENTIALS';
}

const hexDigest = /^[0-9a-f]{64}$/;

/**
 * The id of an upload. The device's id counts if it commits to the announced bytes, so that another caller cannot use
 * it for other bytes. Otherwise the server makes one.
 */
function nameUpload(length: number, metadata: TusMetadata): string {
  const { asset_id, salt, sha256 } = metadata;
  if (sha256 && !hexDigest.test(sha256)) throw memberFault('sha256', 'must be 64 lower-case hexadecimal digits');
  if (!asset_id) return formatAssetId(randomBytes(assetIdBytes));
  if (!assetId.safeParse(asset_id).success) throw memberFault('asset_id', 'must be 16 letters and digits');
  if (!sha256) throw memberFault('sha256', 'must be sent with an asset_id, which is made of it');
  if (!salt || !assetSalt.test(salt))
    throw memberFault('salt', 'must be 16 to 64 characters of base64url with an asset_id, which is made of it');
  if (committedAssetId({ salt, length, sha256 }) !== asset_id)
    throw memberFault('asset_id', 'must be the id of this salt, length and sha256');
  return asset_id;
}

const memberFault = (name: string, message: string) => headerFault(`upload-metadata.${name}`, message);
