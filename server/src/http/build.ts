import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { fastify, LogController } from 'fastify';
import type { UploadDeps } from '../assets/upload.ts';
import type { AuthDeps } from '../auth/deps.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Config } from '../config.ts';
import { SharedCounters } from '../db/shared-counters.ts';
import type { AccessOptions } from '../wire/access.ts';
import type { AdmissionLimits } from '../wire/admission.ts';
import { Admission } from '../wire/admission.ts';
import { assetEndpoints } from './endpoints/asset-endpoints.ts';
import { OperatorSessions } from '../auth/operators/sessions.ts';
import { attentionEndpoints } from '../ops/attention/attention.ts';
import { actEndpoints } from '../ops/acts/acts.ts';
import { oidcEndpoints, type Oidc } from '../ops/oidc/oidc.ts';
import { operatorEndpoints } from '../ops/operators/operators.ts';
import { authEndpoints } from './endpoints/auth-endpoints.ts';
import { applyBrowserRules } from './server/browser-rules.ts';
import { answerBrokenRequest, answerUnroutable } from './server/broken-request.ts';
import { deviceEndpoints } from '../ops/devices/devices.ts';
import { invitationEndpoints } from '../ops/invitations/invitations.ts';
import { mountDocs } from './docs/mount-docs.ts';
import type { BuiltPages } from './pages/mount-pages.ts';
import { mountPages } from './pages/mount-pages.ts';
import { emailEndpoints, type EmailDeps } from './endpoints/email-preview.ts';
import { answerErrors } from '../wire/errors.ts';
import { cellEndpoints } from './endpoints/cell-endpoints.ts';
import { codeEndpoints } from './endpoints/code-endpoints.ts';
import { readForms } from './answers/form.ts';
import { isHandshake } from './server/handshake.ts';
import type { HealthDeps } from './endpoints/health.ts';
import { healthEndpoints } from './endpoints/health.ts';
import { parseJsonBody } from './server/json-body.ts';
import { Lingering, type LingerBounds } from './server/lingering.ts';
import type { Endpoint } from './answers/endpoint.ts';
import { mount } from './answers/mount.ts';
import { historyEndpoints } from '../ops/history/history.ts';
import { holdEndpoints } from '../ops/holds/holds.ts';
import { incidentEndpoints } from '../ops/incidents/incidents.ts';
import { firstLoadEndpoints } from '../ops/first-load/first-load.ts';
import { flagEndpoints } from '../ops/flags/flags.ts';
import { parkedEndpoints } from '../ops/parked/parked.ts';
import type { HostCatalog } from './endpoints/host-endpoints.ts';
import { hostEndpoints } from './endpoints/host-endpoints.ts';
import { copyEndpoints } from '../ops/evidence/copy/copy-endpoint.ts';
import { evidenceEndpoints, type EvidenceDeps } from '../ops/evidence/evidence-endpoints.ts';
import { legalHoldEndpoints } from '../ops/legal-holds/legal-holds.ts';
import { proofEndpoints, type ProofDeps } from '../ops/proofs/proofs.ts';
import { quarantineEndpoints } from '../ops/quarantine/quarantine.ts';
import { opsFileEndpoints } from '../ops/files/files.ts';
import { feedEndpoints, type FeedDeps } from '../ops/feed/feed.ts';
import { searchEndpoints } from '../ops/search/search.ts';
import { opsStopEndpoints, type OpsStopDeps } from '../ops/stops/stops.ts';
import { opsRouteEndpoints } from '../ops/routes/routes.ts';
import { shadowEndpoints, type ShadowDeps } from '../ops/shadow/shadow.ts';
import { doctorEndpoints } from '../ops/doctor/doctor.ts';
import { drillEndpoints } from '../ops/drills/drills.ts';
import { reconciliationEndpoints } from '../ops/reconciliation/reconciliation.ts';
import { replicationEndpoints } from '../ops/replication/replication.ts';
import { reportEndpoints } from './endpoints/report-endpoints.ts';
import { routeEndpoints } from './endpoints/route-endpoints.ts';
import type { StopDeps } from './endpoints/stop-endpoints.ts';
import { stopEndpoints } from './endpoints/stop-endpoints.ts';
import { serveInTurn } from './server/exchanges.ts';
import { openRateLimits } from './server/rate-limits.ts';
import { endSilentConnections } from './server/silent-connections.ts';
import { limitUnauthenticatedBodies } from './server/unauthenticated-bodies.ts';
import { restDocument, type OperationName } from './operations.ts';
import { formOverhead } from './endpoints/uploads.ts';
import { checkParsedRequests } from './server/wire-checks.ts';

const mebibyte = 1024 * 1024;
/** The address of the server from `/docs/openapi.json`, also behind a proxy that adds a prefix. */
const aboveDocs = '..';

/** Time limits of a connection, against clients that only occupy it. */
export interface Timeouts {
  /** For the request line and the headers. */
  readonly headersMs: number;
  /** For a whole request: a phone on a bad link may need minutes for a photo. */
  readonly requestMs: number;
  /** Between two checks of all connections. */
  readonly checkMs: number;
}
const ordinaryTimeouts: Timeouts = { headersMs: 20_000, requestMs: 300_000, checkMs: 5_000 };

export interface HttpDeps
  extends
    Omit<StopDeps, 'admission'>,
    Omit<HealthDeps, 'log'>,
    Pick<ShadowDeps, 'excuses' | 'legacyMap'>,
    Pick<
      Config,
      | 'access'
      | 'cells'
      | 'operators'
      | 'signup'
      | 'trustProxy'
      | 'publicUrl'
      | 'maxJsonMb'
      | 'reportQuotaMb'
      | 'corsOrigins'
    > {
  readonly auth: AuthDeps;
  readonly sessions: Sessions;
  /** The identity provider of the operators, where the server has one. */
  readonly oidc: Oidc | undefined;
  readonly timeouts?: Timeouts;
  readonly linger?: LingerBounds;
  readonly admissionLimits?: AdmissionLimits;
  /** The bound of all unauthenticated bodies together while they arrive. */
  readonly unauthenticatedBytes?: number;
  readonly assets: UploadDeps;
  readonly hostCatalog: HostCatalog & OpsStopDeps['hostCatalog'];
  readonly opsFeed: FeedDeps['opsFeed'] & { readonly close: () => Promise<void> };
  readonly previewMail: EmailDeps['previewMail'];
  readonly queueMail: ProofDeps['queueMail'];
  readonly logKeys: EvidenceDeps['logKeys'];
  readonly sealKey: EvidenceDeps['sealKey'];
  readonly stamp: EvidenceDeps['stamp'];
  readonly pages: BuiltPages;
  /** The sync channel as an AsyncAPI document: the channel is another edge, so app.ts passes it in. */
  readonly channelDocument: () => object;
  /** The only path that opens WebSockets. */
  readonly socketPath: string;
  /** Bearer token of `/api/ops`. */
  readonly opsToken: string;
  /** pino or a compatible logger. */
  readonly log: FastifyBaseLogger;
}

/** The REST edge with both path sets, ready to listen. Other edges may add their routes before that. */
export async function buildHttp(deps: HttpDeps): Promise<FastifyInstance> {
  const { trustProxy: hops, timeouts = ordinaryTimeouts } = deps;
  const bodyLimit = deps.maxJsonMb * mebibyte;
  // A refused request may be as long as the largest accepted one, and its sender still gets the answer.
  const largest = Math.max(bodyLimit, deps.assets.limits.requestBytes + formOverhead);
  const lingering = new Lingering(deps.linger ?? { bytes: largest, ms: 30_000 });
  const app = fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Fastify does not accept a bare number of hops; a function has the same effect.
    trustProxy: typeof hops === 'number' ? (_address, hop) => hop < hops : hops,
    bodyLimit,
    routerOptions: {
      // The length of an address. The schema of the operation checks its parameters and answers in the contract's
      // words.
      maxParamLength: 16_384,
      // Clients that join addresses from parts often leave a slash.
      ignoreTrailingSlash: true,
    },
    requestTimeout: timeouts.requestMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      requireHostHeader: false, // wire-checks.ts asks for it
      shouldUpgradeCallback: (request) => isHandshake(request, deps.socketPath),
    },
    requestIdHeader: false,
    genReqId: requestId,
    // Requests on open connections are still served while the server stops.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, lingering),
    frameworkErrors: answerUnroutable,
  });
  // RFC 9110 §10.1.1 permits it. Node itself would answer 417 without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  endSilentConnections(app);
  lingering.watch(app);
  serveInTurn(app);
  readJsonOnly(app);
  await readForms(app);
  answerErrors(app);
  logRequests(app);
  await applyBrowserRules(app, { https: deps.publicUrl?.startsWith('https:') ?? false, corsOrigins: deps.corsOrigins });
  checkParsedRequests(app);
  limitUnauthenticatedBodies(app, deps.unauthenticatedBytes);

  const limit = await openRateLimits(app, new SharedCounters(deps.db, deps.clock));
  const admission = new Admission(deps.admissionLimits);
  const { store } = deps.assets;
  const operatorSessions = new OperatorSessions({ db: deps.db, now: deps.clock, limits: deps.operators });
  const endpoints: Record<OperationName, Endpoint> = {
    ...authEndpoints({ ...deps, limit }),
    ...cellEndpoints({ ...deps, limit }),
    ...routeEndpoints(deps.db),
    ...stopEndpoints({ ...deps, admission }),
    ...emailEndpoints(deps),
    ...healthEndpoints(deps),
    ...hostEndpoints(deps.hostCatalog),
    ...assetEndpoints(deps.assets),
    ...codeEndpoints(deps.db),
    ...reportEndpoints({ ...deps, admission, hourBytes: deps.reportQuotaMb * mebibyte }),
    ...flagEndpoints(deps),
    ...attentionEndpoints(deps),
    ...operatorEndpoints({ ...deps, operatorLimits: deps.operators, operatorSessions, limit }),
    ...oidcEndpoints({ ...deps, operatorLimits: deps.operators, limit }),
    ...actEndpoints(deps.db),
    ...parkedEndpoints(deps),
    ...holdEndpoints(deps.db),
    ...legalHoldEndpoints(deps),
    ...replicationEndpoints(deps.db),
    ...reconciliationEndpoints(deps.db),
    ...shadowEndpoints(deps),
    ...doctorEndpoints(deps.db),
    ...firstLoadEndpoints(deps.db),
    ...drillEndpoints(deps.db),
    ...quarantineEndpoints(deps),
    ...incidentEndpoints(deps.db),
    ...deviceEndpoints(deps),
    ...invitationEndpoints(deps),
    ...historyEndpoints(deps.db),
    ...opsRouteEndpoints(deps),
    ...opsStopEndpoints(deps),
    ...proofEndpoints({ ...deps, store }),
    ...evidenceEndpoints({ ...deps, store, limit }),
    ...copyEndpoints({ ...deps, store }),
    ...opsFileEndpoints(deps.db, store),
    ...searchEndpoints(deps),
    ...feedEndpoints({ opsFeed: deps.opsFeed, operatorSessions }),
  };
  const access: AccessOptions = {
    mode: deps.access,
    sessions: deps.sessions,
    operators: operatorSessions,
    opsToken: deps.opsToken,
  };
  mount(app, endpoints, access);
  mountDocs(app, { rest: () => restDocument(deps.version, aboveDocs), channel: deps.channelDocument });
  mountPages(app, deps.pages);
  app.addHook('preClose', () => deps.opsFeed.close());
  return app;
}

/** Takes over a harmless id of a proxy or client, so that one id follows a request through all logs. */
function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request: unknown, bytes: Buffer, done) =>
    done(null, parseJsonBody(bytes)),
  );
}

/** The bound of an unknown path in the log. */
const maxPathLength = 200;
/** What may be the id of an asset, also in a path that the sender has mistyped. */
const possibleIds = /[A-Za-z0-9]{16,}/g;

/**
 * Logs one line for a refused request, and with LOG_LEVEL=debug one for each request. A line contains no header, body
 * or query string, so no token and no customer gets into a log.
 */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const fields = {
      method: request.method,
      // An asset's id grants access to the asset, so no path contains one.
      path: request.routeOptions.url ?? unknownPath(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      employee: request.driver?.employee,
      operator: request.ops?.kind === 'operator' ? request.ops.id : undefined,
    };
    if (reply.statusCode < 400) request.log.debug(fields, 'request');
    else request.log.info(fields, 'request refused');
    done();
  });
}

const unknownPath = (url: string): string =>
  url.replace(/\?.*/s, '').replaceAll(possibleIds, ':id').slice(0, maxPathLength);
