import fastifyWebsocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import { Connection } from './connection.ts';
import { serveExchange, type IsOperator } from './plain-http/exchange.ts';
import { HalfFrames } from './half-frames.ts';
import { openHub, type Hub, type HubOptions } from './hub.ts';
import { syncLimits, type SyncLimits } from './limits.ts';
import { serveSnapshots } from './plain-http/snapshot.ts';

export const syncPath = '/api/sync';

/** A peer that does not answer our goodbye is cut. */
const GOODBYE_MS = 2_000;

export type SyncOptions = Omit<HubOptions, 'limits'> & {
  /** Without it nobody is one here. */
  readonly isOperator?: IsOperator;
  readonly limits?: Partial<SyncLimits>;
};

/** Puts the sync channel and its snapshots on a server that does not listen yet; it ends when that closes. */
export async function mountSync(http: FastifyInstance, options: SyncOptions): Promise<Hub> {
  const limits = { ...syncLimits, ...options.limits };
  const hub = await openHub({ ...options, limits });
  const halfFrames = new HalfFrames(limits);
  const webSockets = {
    // Up to twice the limit gets an `error` that says so; what is larger is cut by the library (1009).
    maxPayload: 2 * limits.frame_bytes,
    maxFragments: limits.fragments,
    // Costs 300 kB a socket; what is large (the snapshot) is compressed once for everybody instead.
    perMessageDeflate: false,
    // Missing in the library's types, not in its documentation.
    closeTimeout: GOODBYE_MS,
  };
  await http.register(fastifyWebsocket, {
    options: webSockets,
    // The library closes what broke. Phones vanish all the time: no line each.
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
    // Without it whoever forgets to upgrade gets a 404 without a word.
    handler: (_request, reply) => reply.callNotFound(),
    wsHandler: (socket, { raw }) => {
      const connection = new Connection(hub, socket);
      halfFrames.watch(raw.socket, socket, connection);
      socket.on('message', (data, isBinary) => connection.received(asBuffer(data), isBinary));
      socket.on('close', () => {
        connection.take({ type: 'closed' });
        hub.remove(connection);
      });
      hub.add(connection);
    },
  });
  serveExchange(http, { path: syncPath, hub, db: options.db, isOperator: options.isOperator ?? (() => false) });
  serveSnapshots(http, { ...options, path: `${syncPath}/snapshot`, serverEpoch: hub.serverEpoch });
  return hub;
}

/** The library's `binaryType` is `nodebuffer`: it gives nothing else. */
function asBuffer(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
