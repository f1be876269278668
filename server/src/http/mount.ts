import type { OperationName } from '@tailgate/sync-protocol';
import { pathSets } from '@tailgate/sync-protocol';
import type { FastifyInstance } from 'fastify';
import type { Driver } from '../auth/sessions.ts';
import type { AccessOptions } from './access.ts';
import { gateOf } from './access.ts';
import type { Endpoint } from './endpoint.ts';
import { Rendered } from './rendered.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, where the operation asks for a driver. */
    driver: Driver | undefined;
  }
}

export type Endpoints = Readonly<Record<OperationName, Endpoint>>;

/**
 * Puts every operation on the path sets that have it. The gate stands before the body is read: a stranger's 5 MiB are
 * not worth parsing, and missing credentials are told before anything else (contract §1).
 */
export function mount(app: FastifyInstance, endpoints: Endpoints, options: AccessOptions): void {
  app.decorateRequest('driver', undefined);
  for (const { operation, answer } of Object.values(endpoints)) {
    const gate = gateOf(operation.access, options);
    for (const paths of operation.sets) {
      app.route({
        method: operation.method,
        url: pathSets[paths] + operation.path,
        onRequest: async (request) => {
          request.driver = await gate(request);
        },
        handler: async (request, reply) => {
          const { data, message = operation.message, meta } = await answer(request, paths, request.driver);
          if (!(data instanceof Rendered)) return { success: true, message, data, ...(meta && { meta }) };
          void reply.type('application/json; charset=utf-8');
          return data.bytes;
        },
      });
    }
  }
}

/** What anybody may call, for the line in the log that says so at start (contract §8). */
export function openPaths(endpoints: Endpoints, mode: AccessOptions['mode']): string[] {
  return Object.values(endpoints).flatMap(({ operation: { access, method, path, sets } }) =>
    access === 'public' || (access === 'open' && mode === 'documented')
      ? sets.map((set) => `${method} ${pathSets[set]}${path}`)
      : [],
  );
}
