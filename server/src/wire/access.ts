import { createHash, timingSafeEqual } from 'node:crypto';
import type { Access, Operation } from '@tailgate/sync-protocol';
import type { FastifyRequest } from 'fastify';
import { includesRole } from '../auth/operators/rules.ts';
import type { OperatorSessions, SignedOperator } from '../auth/operators/sessions.ts';
import type { Driver, Sessions } from '../auth/sessions.ts';
import { AppError } from './errors.ts';

/** The credentials in the headers of a request. */
export interface Credentials {
  readonly employee: string | undefined;
  readonly token: string | undefined;
  /** The key of one phone's queue, for requests without a session (decision 54). */
  readonly queueKey: string | undefined;
}

/** The documented headers. The spelling with hyphens is for proxies that drop names with underscores (contract §1). */
export function credentialsOf({ headers }: Pick<FastifyRequest, 'headers'>): Credentials {
  return {
    employee: text(headers['employee_id']) ?? text(headers['employee-id']),
    token: text(headers['api_token']) ?? text(headers['api-token']),
    queueKey: text(headers['queue_key']) ?? text(headers['queue-key']),
  };
}

const text = (header: string | string[] | undefined): string | undefined =>
  (typeof header === 'string' ? header.trim() : undefined) || undefined;

/** Contract §8. */
export type AccessMode = 'documented' | 'strict';

/** Whether an operation of this access needs no credentials. */
export const isOpen = (access: Access, mode: AccessMode): boolean =>
  access === 'public' || (access === 'open' && mode === 'documented');

export interface AccessOptions {
  readonly mode: AccessMode;
  readonly sessions: Sessions;
  readonly operators: Pick<OperatorSessions, 'authenticate'>;
  readonly opsToken: string;
}

/** The caller of an operators' operation: a person with a session, or a program with OPS_TOKEN. */
export type OpsCaller = (SignedOperator & { readonly kind: 'operator' }) | { readonly kind: 'machine' };

/** The caller of a request, where its operation requires one. */
export interface Admitted {
  readonly driver?: Driver;
  readonly ops?: OpsCaller;
}

/** Checks the credentials of a request. It reads only headers. */
export type Gate = (request: FastifyRequest) => Promise<Admitted>;

export function gateOf(
  { access, role, path }: Pick<Operation<unknown, unknown, unknown>, 'access' | 'role' | 'path'>,
  options: AccessOptions,
): Gate {
  if (access === 'operator') {
    if (role === undefined) throw new Error(`${path} names no role of the operator`);
    return async (request) => ({ ops: await requireRole(request, role, options) });
  }
  if (isOpen(access, options.mode)) return async () => ({});
  return async (request) => ({ driver: await requireDriver(request, options.sessions) });
}

/** @throws AppError without a session or OPS_TOKEN, and where the operator's role is too low */
async function requireRole(
  request: Pick<FastifyRequest, 'headers'>,
  role: NonNullable<Operation<unknown, unknown, unknown>['role']>,
  { operators, opsToken }: RoleOptions,
): Promise<OpsCaller> {
  const token = bearerOf(request);
  if (token === undefined)
    throw new AppError('MISSING_CREDENTIALS', {
      message: 'The header Authorization: Bearer with the token of a session is required, or with OPS_TOKEN.',
    });
  if (isOpsToken(token, opsToken)) return { kind: 'machine' };
  const operator = await operators.authenticate(token);
  if (!operator)
    throw new AppError('INVALID_TOKEN', { message: 'The session is unknown, ended or was idle too long.' });
  if (operator.mustChangePassword && role !== 'self') throw new AppError('PASSWORD_CHANGE_REQUIRED');
  if (!includesRole(operator.role, role))
    throw new AppError('ROLE_REQUIRED', {
      message: `The role ${role} is required; ${operator.id} has ${operator.role}.`,
    });
  return { kind: 'operator', ...operator };
}

/**
 * The author of a rescue: an operator with the role `repair`, or `machine` with OPS_TOKEN. Undefined for a request
 * without a bearer token, and for one with a driver's own credentials.
 */
export type RescuerOf = (request: Pick<FastifyRequest, 'headers'>) => Promise<string | undefined>;

/** @throws AppError as `requireRole` */
export const rescuerOf =
  (options: RoleOptions): RescuerOf =>
  async (request) => {
    if (bearerOf(request) === undefined) return undefined;
    if (isOperator(request, options.opsToken)) return 'machine';
    const { token, queueKey } = credentialsOf(request);
    if (token !== undefined || queueKey !== undefined) return undefined;
    const caller = await requireRole(request, 'repair', options);
    return caller.kind === 'operator' ? caller.id : 'machine';
  };

type RoleOptions = Pick<AccessOptions, 'operators' | 'opsToken'>;

async function requireDriver(request: FastifyRequest, sessions: Sessions): Promise<Driver> {
  const { employee, token } = credentialsOf(request);
  if (employee === undefined || token === undefined) throw new AppError('MISSING_CREDENTIALS');
  const driver = await sessions.authenticate(employee, token);
  if (!driver) throw new AppError('INVALID_TOKEN');
  return driver;
}

/** @throws AppError where the request lacks the operator's token */
export function requireOperator(request: FastifyRequest, opsToken: string): undefined {
  if (bearerOf(request) === undefined)
    throw new AppError('MISSING_CREDENTIALS', { message: 'The header Authorization: Bearer OPS_TOKEN is required.' });
  if (!isOperator(request, opsToken)) throw new AppError('INVALID_TOKEN', { message: 'The operator token is wrong.' });
}

/** Whether a request has the operator's token. */
function isOperator(request: Pick<FastifyRequest, 'headers'>, opsToken: string): boolean {
  const shown = bearerOf(request);
  return shown !== undefined && isOpsToken(shown, opsToken);
}

/** Digests have equal length and the comparison takes constant time, so that it reveals no part of a right guess. */
const isOpsToken = (shown: string, opsToken: string): boolean => timingSafeEqual(digest(shown), digest(opsToken));

const bearerOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
