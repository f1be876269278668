import type { OutgoingHttpHeaders } from 'node:http';
import fastifyCors from '@fastify/cors';
import fastifyHelmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { fastify } from 'fastify';

export interface BrowserRules {
  /** Whether browsers reach the server by TLS and may be bound to it. */
  readonly https: boolean;
  /** Origins of web apps that may call. */
  readonly corsOrigins: readonly string[];
}

/** Half a year: long enough to protect, short enough to give TLS up again. */
const hstsSeconds = 180 * 24 * 60 * 60;
/** Request headers of apps, beside those that browsers always allow. */
const appHeaders = [
  'content-type',
  'employee_id',
  'api_token',
  'employee-id',
  'api-token',
  'queue_key',
  'queue-key',
  'idempotency-key',
  'if-none-match',
  'range',
  'x-request-id',
  // tus, for /api/sync/uploads
  'tus-resumable',
  'upload-length',
  'upload-metadata',
  'upload-offset',
  'client_id',
  'queue_key',
];
/** Response headers that scripts of other origins may read. */
export const readableHeaders = [
  'x-request-id',
  'retry-after',
  'etag',
  'content-disposition',
  'content-range',
  'server-epoch',
];
const preflightSeconds = 600;

/**
 * Sets the security headers of every answer. An answer of the API is data: it never runs, loads, is framed or is
 * sniffed as another type. Pages (`/docs`, the mail preview) set their own headers.
 *
 * Credentials are headers that a script must set, never cookies. So no page can act for a driver without the token, and
 * browsers keep other origins out where no CORS header allows them (docs/security.md).
 */
export async function applyBrowserRules(app: FastifyInstance, { https, corsOrigins }: BrowserRules): Promise<void> {
  const callback = await browserHeaders(https);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(callback);
    done();
  });
  if (corsOrigins.length === 0) return;
  await app.register(fastifyCors, {
    origin: [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: appHeaders,
    exposedHeaders: readableHeaders,
    maxAge: preflightSeconds,
    // Otherwise an OPTIONS that is no preflight gets an error in plain text.
    strictPreflight: false,
  });
}

/**
 * The headers of helmet are the same for every answer, so they are computed once: computing them takes longer than
 * routing.
 */
async function browserHeaders(https: boolean): Promise<OutgoingHttpHeaders> {
  const asked = fastify();
  await asked.register(fastifyHelmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: https ? { maxAge: hstsSeconds } : false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    // These serve pages, Flash or old browsers, and phones would pay for their bytes.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
  });
  let callback: OutgoingHttpHeaders = {};
  asked.get('/', (_request, { raw }) => {
    callback = raw.getHeaders();
    return '';
  });
  await asked.inject('/');
  await asked.close();
  return callback;
}
