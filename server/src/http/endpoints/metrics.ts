import { BlockList, isIPv6 } from 'node:net';
import { fastify, LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { requireOperator } from '../../wire/access.ts';
import { errorAnswer, toAppError } from '../../wire/errors.ts';
import { endSilentConnections } from '../server/silent-connections.ts';

export interface MetricsOptions {
  readonly read: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly opsToken: string;
  readonly access: Config['metricsAccess'];
}

/** Adds `GET /metrics` to a server that does not listen yet. */
export function mountMetrics(app: FastifyInstance, { read, opsToken, access }: MetricsOptions): void {
  app.route({
    method: 'GET',
    url: '/metrics',
    onRequest: async (request, reply) => {
      try {
        if (access === 'token' || !isFromThisMachine(request)) requireOperator(request, opsToken);
      } catch (error) {
        const { status, headers, body } = errorAnswer(toAppError(error), request.id);
        return reply.code(status).headers(headers).send(body);
      }
      return undefined;
    },
    handler: async (_request, reply) => {
      const { type, text } = await read();
      return reply.type(type).send(text);
    },
  });
}

/** A server with `/metrics` alone, for a worker or for a port that only operators reach. */
export function buildMetrics(options: MetricsOptions, log: FastifyBaseLogger): FastifyInstance {
  const app = fastify({ loggerInstance: log, logController: new LogController({ disableRequestLogging: true }) });
  endSilentConnections(app);
  mountMetrics(app, options);
  return app;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Headers that proxies and content networks add. A proxy on this machine forwards remote requests from loopback.
 * Vendors use their own names, so every `x-` header counts but those of Prometheus.
 */
const forwarding = /^(?:forwarded|via|cdn-loop|x-(?!prometheus-).*|(?:cf|fly|fastly|akamai)-.*|(?:.*-)?client-ip)$/;

/** Whether the request comes from this machine and not through a proxy. */
function isFromThisMachine({ socket, headers }: FastifyRequest): boolean {
  const address = socket.remoteAddress ?? '';
  return (
    loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') &&
    !Object.keys(headers).some((name) => forwarding.test(name))
  );
}
