import fastifyWebsocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import { Connection } from './connection.ts';
import type { RescuerOf } from '../wire/access.ts';
import { serveExchange } from './plain-http/exchange.ts';
import { IncompleteFrames } from './incomplete-frames.ts';
import { openHub, type Hub, type HubOptions } from './hub.ts';
import { syncLimits, type SyncLimits } from './limits.ts';
import { serveSnapshots } from './plain-http/snapshot.ts';

export const syncPath = '/api/sync';

/** The server cuts a peer that does not answer its close frame in this time. */
const CLOSE_TIMEOUT_MS = 2_000;

export type SyncOptions = Omit<HubOptions, 'limits'> & {
  /** Without it, no caller is an operator. */
  readonly rescuerOf?: RescuerOf;
  readonly limits?: Partial<SyncLimits>;
};

/** Mounts the sync channel and its snapshots on a server that does not listen yet. Both end when it closes. */
export async function mountSync(http: FastifyInstance, options: SyncOptions): Promise<Hub> {
  const limits = { ...syncLimits, ...options.limits };
  const hub = await openHub({ ...options, limits });
  const incompleteFrames = new IncompleteFrames(limits);
  const webSockets = {
    // A frame up to twice the limit gets an `error` with the reason. The library closes the connection for a larger one
    // (1009).
    maxPayload: 2 * limits.frame_bytes,
    maxFragments: limits.fragments,
    // Compression costs 300 kB a socket. The large answer, the snapshot, is compressed once for all.
    perMessageDeflate: false,
    // The library documents it, but its types omit it.
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  await http.register(fastifyWebsocket, {
    options: webSockets,
    // The library closes a broken socket. Phones vanish all the time, so this logs at debug level.
    errorHandler: (error) => options.log.debug({ err: error }, 'a sync socket broke'),
    preClose: (done) => {
      hub.closeConnections();
      done();
    },
  });
  http.addHook('onClose', () => hub.stop());

  http.route({
    method: 'GET',
    url: syncPath,
    // A request without an upgrade gets the documented 404.
    handler: (_request, reply) => reply.callNotFound(),
    wsHandler: (socket, { raw }) => {
      const connection = new Connection(hub, socket);
      incompleteFrames.watch(raw.socket, socket, connection);
      socket.on('message', (data, isBinary) => connection.received(asBuffer(data), isBinary));
      socket.on('close', () => {
        connection.handle({ type: 'closed' });
        hub.remove(connection);
      });
      hub.add(connection);
    },
  });
  serveExchange(http, { path: syncPath, hub, db: options.db, rescuerOf: options.rescuerOf ?? (async () => undefined) });
  serveSnapshots(http, { ...options, path: `${syncPath}/snapshot`, serverEpoch: hub.serverEpoch });
  return hub;
}

/** The library's `binaryType` is `nodebuffer`, so other types do not occur. */
function asBuffer(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
