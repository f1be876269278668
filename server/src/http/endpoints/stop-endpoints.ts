import type { ErrorDetail, RouteKey, StopAnswer, StopSyncAnswer } from '@tailgate/sync-protocol';
import { operations } from '@tailgate/sync-protocol';
import type { FastifyRequest } from 'fastify';
import type { Db } from '../../db/types.ts';
import type { Change, Outcome, Pipeline } from '../../mutations/change.ts';
import { claimKey, findClaim } from '../../mutations/intake/request-keys.ts';
import { shownReason } from '../../stops/shown-reason.ts';
import { findCandidates } from '../../routes/queries.ts';
import { resolveRoute } from '../../routes/resolve.ts';
import type { Sender } from '../../stops/requests.ts';
import { skipChange, stopAnswer, stopChanges } from '../../stops/requests.ts';
import type { Admission } from '../../wire/admission.ts';
import type { DriverCall } from '../answers/endpoint.ts';
import { driverEndpoint } from '../answers/endpoint.ts';
import { fingerprintOf, keyReused } from './keyed-requests.ts';
import { AppError } from '../../wire/errors.ts';

export interface StopDeps {
  readonly admission: Admission;
  readonly db: Db;
  readonly pipeline: Pipeline;
  readonly clock: () => Date;
}

/** Interface.md 4.3. */
export function stopEndpoints({ admission, db, pipeline, clock }: StopDeps) {
  const submit = (request: FastifyRequest, changes: readonly Change[]): Promise<Outcome[]> =>
    admission.hold(request, () =>
      Promise.all(changes.map((change) => pipeline.submit({ ...change, requestId: request.id }))),
    );

  /** Reads the author and the route before any stop is saved. */
  async function identify(
    call: DriverCall<unknown, unknown>,
    suffix: string,
    named: NamedRoute,
  ): Promise<{ route: RouteKey; sender: Sender }> {
    const { driver, paths, idempotencyKey: key } = call;
    const { employee } = driver;
    const receivedAt = clock();
    if (key === undefined) {
      const route = await routeOfStop(db, employee, named);
      return { route, sender: { employee, paths, receivedAt, keyed: undefined } };
    }
    const keyed = { owner: employee, key, fingerprint: fingerprintOf(suffix, call.request), at: receivedAt };
    const known = await findClaim(db, keyed);
    const claim = known?.facility ? known : await claimKey(db, keyed, await routeOfStop(db, employee, named));
    if (!claim.same) throw keyReused();
    const { facility, week_end, since } = claim;
    return {
      route: { id: named.id, facility, week_end },
      sender: { employee, paths, receivedAt, keyed: { key, since } },
    };
  }

  return {
    syncStops: driverEndpoint(operations.syncStops, async (call) => {
      const { route, sender } = await identify(call, operations.syncStops.path, call.body);
      // All stops of a body are submitted at once, so they share batches and commits.
      const outcomes = await submit(call.request, stopChanges(route, call.body.stops, sender));
      const accepted = expectAccepted(outcomes, { route: 'id', stop: (index) => `stops.${index}` });
      const stops = call.body.stops.map(({ id }, index): StopAnswer => answerOf(id, outcomes[index]));
      const data: StopSyncAnswer = {
        route_id: route.id,
        facility: route.facility,
        week_end: route.week_end,
        route_status: accepted.some(({ routeStatus }) => routeStatus === 'C') ? 'C' : 'O',
        received_at: sender.receivedAt.toISOString(),
        stops,
      };
      if (accepted.length === stops.length) return { data };
      return { data, message: `${accepted.length} of ${stops.length} stops saved` };
    }),

    skipStop: driverEndpoint(operations.skipStop, async (call) => {
      const { route_id, stop_id, facility, week_end } = call.body;
      const { route, sender } = await identify(call, operations.skipStop.path, { id: route_id, facility, week_end });
      const outcomes = await submit(call.request, [skipChange(route, call.body, sender)]);
      const [accepted] = expectAccepted(outcomes, { route: 'route_id', stop: () => 'stop_id' });
      if (!accepted) throw new Error('one change has one outcome');
      return { data: { route_id, stop_id, status: accepted.status, version: accepted.stopVersion } };
    }),
  };
}

interface NamedRoute {
  readonly id: string;
  readonly facility?: string | null | undefined;
  readonly week_end?: string | null | undefined;
}

/**
 * The route that a body names. If no route fits, the parts as they were sent: the pipeline quarantines such a stop, so
 * the office has the driver's proof even for a route that is not here yet.
 */
async function routeOfStop(db: Db, employee: string, { id, ...parts }: NamedRoute): Promise<RouteKey> {
  const named = { id, facility: parts.facility ?? '', week_end: parts.week_end ?? '' };
  if (named.facility && named.week_end) return named;
  const resolution = resolveRoute(await findCandidates(db, named, employee));
  if (resolution.kind === 'found') return resolution.key;
  if (resolution.kind === 'unknown') return named;
  const details = resolution.keys.map((key) => ({ path: 'id', message: `${key.facility} ${key.id} ${key.week_end}` }));
  throw new AppError('AMBIGUOUS_ROUTE', { details });
}

type Accepted = Extract<Outcome, { changed: boolean }>;

/** The members of a body that name its route and its stops. */
interface Paths {
  readonly route: string;
  readonly stop: (index: number) => string;
}

const pathOf = (code: string, paths: Paths, index: number): string =>
  code === 'ROUTE_NOT_FOUND' || code === 'NOT_ASSIGNED' ? paths.route : paths.stop(index);

/** The saved results. Throws where the server refused every stop. */
function expectAccepted(outcomes: readonly Outcome[], paths: Paths): Accepted[] {
  const accepted: Accepted[] = [];
  const refused: (ErrorDetail & { code: Extract<Outcome, { code: string }>['code'] })[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.result !== 'quarantined') accepted.push(outcome);
    else refused.push({ code: outcome.code, path: pathOf(outcome.code, paths, index), message: shownReason(outcome) });
  }
  // A fault of the route is the same for all stops, so the answer contains it once.
  const details = [...new Map(refused.map(({ path, message }) => [path, { path, message }])).values()];
  const [first] = refused;
  if (!first || accepted.length > 0) return accepted;
  throw first.code === 'ID_REUSED' ? keyReused() : new AppError(first.code, { message: first.message, details });
}

function answerOf(stop: number, outcome: Outcome | undefined): StopAnswer {
  if (!outcome) throw new Error(`the pipeline gave no outcome for stop ${stop}`);
  return stopAnswer(stop, outcome);
}
