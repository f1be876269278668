import { operations } from '@tailgate/sync-protocol';
import type { FastifyRequest } from 'fastify';
import { changePassword } from '../../auth/change-password.ts';
import type { AuthDeps } from '../../auth/deps.ts';
import type { Origin, Proof } from '../../auth/proof.ts';
import { listEmployees } from '../../auth/queries.ts';
import type { Sessions } from '../../auth/sessions.ts';
import { requestCode } from '../../auth/one-time-password.ts';
import { signIn } from '../../auth/sign-in.ts';
import { signOut } from '../../auth/sign-out.ts';
import { signUp } from '../../auth/sign-up.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import type { CreateLimit } from '../server/rate-limits.ts';
import { addressFailuresOf, addressOf } from '../server/rate-limits.ts';

export interface AuthEdge {
  readonly auth: AuthDeps;
  readonly sessions: Sessions;
  readonly limit: CreateLimit;
  /** Whether a driver needs an invitation to sign up. */
  readonly signup: 'documented' | 'invited';
}

const minuteMs = 60_000;

/** Contract §2. */
export function authEndpoints({ auth, sessions, limit, signup }: AuthEdge) {
  // The limit counts failures, not requests: two hundred drivers of a depot sign in from one address at six in the
  // morning.
  const failures = limit({ name: 'failed sign-ins', max: 60, windowMs: minuteMs });
  const refusedSignUps = limit({ name: 'refused sign-ups', max: 60, windowMs: minuteMs });
  const resets = limit({ name: 'password resets', max: 60, windowMs: minuteMs });
  const originOf = (request: FastifyRequest, device: string | null | undefined): Origin => ({
    address: addressOf(request),
    device: device ?? '',
    addressFailures: addressFailuresOf(failures, request),
  });

  return {
    listEmployees: endpoint(operations.listEmployees, async () => ({ data: await listEmployees(auth.db) })),

    signUp: endpoint(operations.signUp, async ({ body, request }) => {
      const { employee_id, password, device } = body;
      const addressFailures = addressFailuresOf(refusedSignUps, request);
      const waitMs = await addressFailures.waitMs();
      if (waitMs > 0) throw new AppError('RATE_LIMITED', { retryAfterMs: waitMs });
      const code = body.invitation ?? '';
      const invitation = signup === 'invited' ? { code, address: addressOf(request) } : undefined;
      const outcome = await signUp(auth, { employee: employee_id, password, device: device ?? '', invitation });
      if (outcome.kind === 'signed_up') return { data: { employee_id, name: outcome.name, api_token: outcome.token } };
      // The answer shows who is an employee and who is registered. The limit keeps a caller from trying ten thousand
      // ids.
      await addressFailures.countFailure();
      if (outcome.kind === 'slowed_down') throw new AppError('RATE_LIMITED', { retryAfterMs: outcome.waitMs });
      throw new AppError(signUpCodes[outcome.kind]);
    }),

    signIn: endpoint(operations.signIn, async ({ body, request }) => {
      const outcome = await signIn(auth, {
        employee: body.employee_id,
        password: body.password,
        confirm: body.confirm_login === true,
        origin: originOf(request, body.device),
      });
      if (outcome.kind === 'others_signed_in') {
        const data = { other_drivers_signed_in: true, drivers: outcome.drivers };
        throw new AppError('OTHER_DRIVERS_SIGNED_IN', { message: 'other_drivers_signed_in', data });
      }
      if (outcome.kind !== 'signed_in') throw refusal(outcome);
      // NOTIFY reaches other nodes a moment later. On this node the next request must already see the end of the
      // session.
      sessions.forget(outcome.evicted);
      return { data: outcome.session };
    }),

    signOut: endpoint(operations.signOut, async ({ body, credentials }) => {
      const employee = credentials.employee ?? body?.employee_id;
      const token = credentials.token ?? body?.api_token;
      if (!employee || !token) throw new AppError('MISSING_CREDENTIALS');
      if (!(await signOut(auth, employee, token))) throw new AppError('INVALID_TOKEN');
      sessions.forget([employee]);
      return { data: null };
    }),

    updatePassword: endpoint(operations.updatePassword, async ({ body, request }) => {
      const outcome = await changePassword(auth, {
        employee: body.employee_id,
        password: body.current_password,
        newPassword: body.new_password,
        origin: originOf(request, body.device),
      });
      if (outcome.kind !== 'changed') throw refusal(outcome);
      sessions.forget([body.employee_id]);
      return { data: { api_token: outcome.token } };
    }),

    // Above the limit the answer is the same, and no password is sent (contract §2).
    resetPassword: endpoint(operations.resetPassword, async ({ body, request }) => {
      const { isExceeded } = await resets.count(request);
      if (!isExceeded) await requestCode(auth, body.employee_id);
      return { data: null };
    }),
  };
}

const signUpCodes = {
  not_invited: 'INVITATION_REQUIRED',
  no_such_employee: 'EMPLOYEE_NOT_FOUND',
  already_registered: 'ALREADY_REGISTERED',
} as const;

const refusal = (proof: Exclude<Proof, { kind: 'proven' }>): AppError =>
  proof.kind === 'slowed_down'
    ? new AppError('RATE_LIMITED', { retryAfterMs: proof.waitMs })
    : new AppError('INVALID_CREDENTIALS');
