import type { FastifyInstance } from 'fastify';

/** The facts of a request before it is handled. */
export interface BegunRequest {
  /** As in `x-request-id` and the log. */
  readonly id: string;
  readonly method: string;
  /** The declared path, `/api/assets/raw/:asset_id`: the actual one may contain a secret. */
  readonly route: string;
  /** The header of W3C Trace Context. */
  readonly traceparent: string | undefined;
}

/** Receives every request, for traces. Nothing waits for it, and it must not throw. */
export interface RequestWatch {
  begun(request: BegunRequest): (status: number) => void;
}

/** Reports every request to a known path, but for upgrades to sockets. Call it before the server is ready. */
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
    // Emitted in any case, also where the client goes away.
    raw.once('close', () => ended(raw.statusCode));
  });
}
