import { operations } from '@tailgate/sync-protocol';
import type { Passwords } from '../auth/passwords.ts';
import { listEmployees } from '../auth/queries.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { SignInGround } from '../auth/sign-in.ts';
import { signIn, signUp } from '../auth/sign-in.ts';
import { signOut } from '../auth/sign-out.ts';
import { withTransaction } from '../db/transaction.ts';
import type { Db } from '../db/types.ts';
import { endpoint } from './endpoint.ts';
import { AppError } from './errors.ts';

export interface AuthGround {
  readonly db: Db;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly clock: () => Date;
}

/** Contract §2. */
export function authEndpoints({ db, sessions, passwords, clock }: AuthGround) {
  const ground: SignInGround = { db, passwords, now: clock, inTransaction: (work) => withTransaction(db, work) };
  return {
    listEmployees: endpoint(operations.listEmployees, async () => ({ data: await listEmployees(db) })),

    signUp: endpoint(operations.signUp, async ({ body }) => {
      const outcome = await signUp(ground, body.employee_id, body.password);
      if (outcome.kind === 'no_such_employee') throw new AppError('EMPLOYEE_NOT_FOUND');
      if (outcome.kind === 'already_registered') throw new AppError('ALREADY_REGISTERED');
      return { data: { employee_id: body.employee_id, name: outcome.name, api_token: outcome.token } };
    }),

    signIn: endpoint(operations.signIn, async ({ body }) => {
      const outcome = await signIn(ground, {
        employee: body.employee_id,
        password: body.password,
        confirm: body.confirm_login === true,
        device: body.device ?? '',
      });
      if (outcome.kind === 'wrong_credentials') throw new AppError('INVALID_CREDENTIALS');
      if (outcome.kind === 'others_signed_in') {
        const data = { other_drivers_signed_in: true, drivers: outcome.drivers };
        throw new AppError('OTHER_DRIVERS_SIGNED_IN', { message: 'other_drivers_signed_in', data });
      }
      // Other nodes hear it by NOTIFY a moment later; here the next request must know it already.
      sessions.forget(outcome.evicted);
      return { data: outcome.session };
    }),

    signOut: endpoint(operations.signOut, async ({ body, credentials }) => {
      const employee = credentials.employee ?? body?.employee_id;
      const token = credentials.token ?? body?.api_token;
      if (!employee || !token) throw new AppError('MISSING_CREDENTIALS');
      if (!(await signOut(db, employee, token, clock()))) throw new AppError('INVALID_TOKEN');
      sessions.forget([employee]);
      return { data: null };
    }),
  };
}
