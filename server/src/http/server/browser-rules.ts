import type { OutgoingHttpHeaders } from 'node:http';
import fastifyCors from '@fastify/cors';
import fastifyHelmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { fastify } from 'fastify';

export interface BrowserRules {
  /** Browsers reach us by TLS, so that they may be told to use nothing else. */
  readonly https: boolean;
  /** Web apps on other addresses that may call; the rest of the web may not. */
  readonly corsOrigins: readonly string[];
}

/** Half a year: long enough to matter, short enough to give TLS up again. */
const hstsSeconds = 180 * 24 * 60 * 60;
/** What an app may send beside the headers that browsers always let through. */
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
/** What scripts of other origins may read of an answer. */
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
 * What browsers are told with every answer. An answer of the API is data: nothing in it runs, loads, frames or is
 * guessed to be of another kind. Pages (`/docs`, the mail's preview) say in their own headers what they need.
 *
 * Credentials are headers that a script must set, never cookies, so that no page can act in a driver's name without
 * his token; other origins are kept out by what browsers do where no CORS header allows more (docs/security.md).
 */
export async function ruleBrowsers(app: FastifyInstance, { https, corsOrigins }: BrowserRules): Promise<void> {
  const told = await browserHeaders(https);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(told);
    done();
  });
  if (corsOrigins.length === 0) return;
  await app.register(fastifyCors, {
    origin: [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: appHeaders,
    exposedHeaders: readableHeaders,
    maxAge: preflightSeconds,
    // Else an OPTIONS that is no preflight is told off in plain text.
    strictPreflight: false,
  });
}

/** What helmet says, which is the same of every answer: asked once, since making it anew takes longer than our routing. */
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
    // Meant for pages, for Flash or for browsers of the past: phones would pay for their bytes.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
  });
  let told: OutgoingHttpHeaders = {};
  asked.get('/', (_request, { raw }) => {
    told = raw.getHeaders();
    return '';
  });
  await asked.inject('/');
  await asked.close();
  return told;
}
