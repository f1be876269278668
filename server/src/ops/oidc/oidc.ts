import { createHash, randomBytes } from 'node:crypto';
import { withTransaction } from '../../db/transaction.ts';
import type { Db } from '../../db/types.ts';
import { sessionEnd, type OperatorLimits } from '../../auth/operators/rules.ts';
import type { Operator } from '../../auth/operators/sessions.ts';
import { hashToken, newToken } from '../../auth/tokens.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import type { CreateLimit } from '../../http/server/rate-limits.ts';
import type { Log } from '../../runtime/log.ts';
import { AppError } from '../../wire/errors.ts';
import { operatorOf, type ClaimNames } from './claims.ts';
import { oidcOperations } from './contract.ts';
import * as sql from './oidc-sql.ts';
import { ProviderUnavailable, SignInRefused, type Claims, type OidcProvider } from './provider.ts';

export interface Oidc {
  readonly provider: OidcProvider;
  readonly claims: ClaimNames;
}

export interface OidcEdge {
  readonly db: Db;
  readonly clock: () => Date;
  readonly log: Log;
  readonly limit: CreateLimit;
  readonly operatorLimits: OperatorLimits;
  /** Undefined where the server has no identity provider. */
  readonly oidc: Oidc | undefined;
}

/** A person may have to find a second factor. */
const signInMs = 10 * 60_000;
const minuteMs = 60_000;

const random = (): string => randomBytes(32).toString('base64url');
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Operators: the sign-in by an identity provider (authorization code with PKCE). The provider sends the browser back to
 * the page, which posts the code. Only the answer to that post has a token: no address and no cookie ever contains one.
 * The page proves by its verifier that it has begun this sign-in, so a code in a foreign address signs no one in.
 */
export function oidcEndpoints({ db, clock, log, limit, operatorLimits, oidc }: OidcEdge) {
  const tries = limit({ name: 'sign-ins by oidc', max: 60, windowMs: minuteMs });
  const available = (): Oidc => {
    if (!oidc) throw new AppError('NOT_FOUND', { message: 'This server has no identity provider (OIDC_ISSUER).' });
    return oidc;
  };
  const counted = async (request: Parameters<typeof tries.count>[0]): Promise<void> => {
    const { isExceeded, waitMs } = await tries.count(request);
    if (isExceeded) throw new AppError('RATE_LIMITED', { retryAfterMs: waitMs });
  };

  return {
    readSignInWays: endpoint(oidcOperations.readSignInWays, async () => ({
      data: { password: true, oidc: oidc !== undefined },
    })),

    beginOidcSignIn: endpoint(oidcOperations.beginOidcSignIn, async ({ body, request }) => {
      const { provider } = available();
      await counted(request);
      const asked = { state: random(), nonce: random(), verifier: random() };
      const url = await provider.addressFor(asked).catch((error: unknown) => refuse(error, log));
      const now = clock();
      const challenge = Buffer.from(body.challenge, 'base64url');
      const end = new Date(now.getTime() + signInMs);
      await db.query(sql.beginSignIn, [sha256(asked.state), challenge, asked.nonce, asked.verifier, end, now]);
      return { data: { url } };
    }),

    finishOidcSignIn: endpoint(oidcOperations.finishOidcSignIn, async ({ body, request }) => {
      const { provider, claims: names } = available();
      await counted(request);
      const { state, code, verifier } = body;
      const { rows } = await db.query<{ nonce: string; verifier: string }>(sql.takeSignIn, [
        sha256(state),
        sha256(verifier),
        clock(),
      ]);
      const [begun] = rows;
      if (!begun) throw refused();
      const claims = await provider
        .claimsOf({ code, state, iss: body.iss ?? undefined }, begun)
        .catch((error: unknown) => refuse(error, log));
      const mapped = operatorOf(claims, names);
      if (mapped.kind === 'unmapped') {
        log.warn({ reason: mapped.why }, 'a sign-in by the identity provider maps to no operator');
        throw new AppError('ROLE_REQUIRED', { message: mapped.why });
      }
      const { operator } = mapped;
      const opened = await openSession(db, { operator, subject: subjectOf(provider, claims), operatorLimits }, clock());
      if (!opened) {
        log.warn({ operator: operator.id }, 'a sign-in by the identity provider was refused for this operator');
        const message = `The operator ${operator.id} is revoked, or belongs to another account.`;
        throw new AppError('ROLE_REQUIRED', { message });
      }
      log.info({ operator: operator.id }, 'an operator has signed in by the identity provider');
      return {
        data: {
          token: opened.token,
          operator,
          expires_at: opened.until.toISOString(),
          idle_minutes: operatorLimits.idleMinutes,
          must_change_password: false,
        },
      };
    }),
  };
}

/** Issuer and subject together never pass to another person (OpenID Connect Core, section 2). */
const subjectOf = ({ issuer }: OidcProvider, { sub }: Claims): string => `${issuer} ${sub}`;

function openSession(
  db: Db,
  {
    operator: { id, name, role },
    subject,
    operatorLimits,
  }: { readonly operator: Operator; readonly subject: string; readonly operatorLimits: OperatorLimits },
  now: Date,
): Promise<{ readonly token: string; readonly until: Date } | undefined> {
  return withTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(sql.saveOperator, [id, name, role, subject, now]);
    if (!rowCount) return undefined;
    const token = newToken();
    const until = sessionEnd(operatorLimits, now);
    await tx.query(sql.openSession, [hashToken(token), id, now, until]);
    return { token, until };
  });
}

const refused = (): AppError =>
  new AppError('INVALID_CREDENTIALS', { message: 'This sign-in is unknown, expired, or was finished before.' });

/** @throws AppError without any text of the provider */
function refuse(error: unknown, log: Log): never {
  if (error instanceof ProviderUnavailable) {
    log.warn({ reason: error.message }, 'the identity provider cannot be reached');
    throw new AppError('IDENTITY_PROVIDER_UNAVAILABLE');
  }
  if (!(error instanceof SignInRefused)) throw error;
  log.warn({ reason: error.message }, 'the identity provider refused a sign-in');
  throw refused();
}
