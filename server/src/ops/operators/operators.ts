import type { OperatorSessions, SignedOperator } from '../../auth/operators/sessions.ts';
import {
  changeOperatorPassword,
  signInOperator,
  type OpenedSession,
  type OperatorAuthDeps,
  type OperatorClaim,
  type OperatorSignIn,
} from '../../auth/operators/sign-in.ts';
import { endpoint, opsEndpoint, type Call } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { addressFailuresOf, addressOf, type CreateLimit } from '../../http/server/rate-limits.ts';
import type { Log } from '../../runtime/log.ts';
import { AppError } from '../../wire/errors.ts';
import { operatorOperations, type OfficeFacility } from './contract.ts';
import { listFacilities } from './operators-sql.ts';

export interface OperatorEdge {
  readonly auth: Omit<OperatorAuthDeps, 'limits'>;
  readonly operatorLimits: OperatorAuthDeps['limits'];
  readonly operatorSessions: Pick<OperatorSessions, 'end'>;
  readonly limit: CreateLimit;
  readonly log: Log;
}

const minuteMs = 60_000;

/** Operators: their own sessions and passwords. */
export function operatorEndpoints({ auth, operatorLimits: limits, operatorSessions, limit, log }: OperatorEdge) {
  const deps = { ...auth, limits };
  const failures = limit({ name: 'failed sign-ins of operators', max: 60, windowMs: minuteMs });
  const claimOf = (request: Call<unknown, unknown>['request'], id: string, password: string): OperatorClaim => ({
    id,
    password,
    address: addressOf(request),
    addressFailures: addressFailuresOf(failures, request),
  });
  const shown = ({ operator, token, expiresAt, mustChangePassword }: OpenedSession) => ({
    token,
    ...sessionOf({ ...operator, expiresAt, mustChangePassword }),
  });
  const sessionOf = ({ id, name, role, expiresAt, mustChangePassword }: Omit<SignedOperator, 'session'>) => ({
    operator: { id, name, role },
    expires_at: expiresAt.toISOString(),
    idle_minutes: limits.idleMinutes,
    must_change_password: mustChangePassword,
  });

  return {
    signInOperator: endpoint(operatorOperations.signInOperator, async ({ body, request }) => {
      const id = body.operator.toUpperCase();
      const session = opened(await signInOperator(deps, claimOf(request, id, body.password)));
      log.info({ operator: id }, 'an operator has signed in');
      return { data: shown(session) };
    }),

    readCaller: opsEndpoint(operatorOperations.readCaller, async ({ caller }) => ({
      data: {
        kind: caller.kind,
        session: caller.kind === 'operator' ? sessionOf(caller) : null,
        facilities: (await auth.db.query<OfficeFacility>(listFacilities)).rows,
      },
    })),

    signOutOperator: opsEndpoint(operatorOperations.signOutOperator, async ({ caller }) => {
      // A program has no session: nothing ends.
      if (caller.kind === 'operator') await operatorSessions.end(caller.session);
      return { data: null };
    }),

    changeOperatorPassword: opsEndpoint(
      operatorOperations.changeOperatorPassword,
      async ({ body, caller, request }) => {
        if (caller.kind === 'machine')
          throw new AppError('ROLE_REQUIRED', { message: 'OPS_TOKEN is a setting of the server and has no password.' });
        const claim = claimOf(request, caller.id, body.current_password);
        const outcome = await changeOperatorPassword(deps, claim, body.new_password);
        if (outcome.kind === 'unfit') throw invalidInput([{ path: 'new_password', message: outcome.fault }]);
        const session = opened(outcome);
        log.info({ operator: caller.id }, 'an operator has changed the password');
        return { data: shown(session) };
      },
    ),
  };
}

function opened(outcome: OperatorSignIn): OpenedSession {
  if (outcome.kind === 'opened') return outcome;
  if (outcome.kind === 'slowed_down') throw new AppError('RATE_LIMITED', { retryAfterMs: outcome.waitMs });
  throw new AppError('INVALID_CREDENTIALS', { message: 'The operator or the password is wrong.' });
}
