import type { FastifyInstance } from 'fastify';

/** What is known of a request before anything of it is done. */
export interface BegunRequest {
  /** As `x-request-id` and the log have it. */
  readonly id: string;
  readonly method: string;
  /** As it is declared, `/api/assets/raw/:asset_id`: what is asked for in particular may be a secret. */
  readonly route: string;
  /** The header, of W3C Trace Context. */
  readonly traceparent: string | undefined;
}

/** Whoever keeps traces of requests. Nothing waits for it, and it must not throw. */
export interface RequestWatch {
  begun(request: BegunRequest): (status: number) => void;
}

/** Tells of every request to an address that we have, but for those that become sockets. Before the server is ready. */
export function watchRequests(app: FastifyInstance, watch: RequestWatch): void {
  app.addHook('onRequest', async ({ id, method, headers, routeOptions }, { raw }) => {
    const { url: route } = routeOptions;
    if (route === undefined || headers.upgrade !== undefined) return;
    const { traceparent } = headers;
    const ended = watch.begun({
      id,
      method,
      route,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    });
    // Comes whatever becomes of the request, also where its sender goes away.
    raw.once('close', () => ended(raw.statusCode));
  });
}
