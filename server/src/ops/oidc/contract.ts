import { nothing, operation } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { newSession } from '../operators/contract.ts';

// Operators' contract: the sign-in by an identity provider.

const signInWays = z.strictObject({ password: z.boolean(), oidc: z.boolean() });

/** 32 random bytes, or a SHA-256, as base64url. */
const secret = z.string().check(z.regex(/^[\w-]{43}$/, 'must be 43 characters of base64url'));

const beginBody = z.object({ challenge: secret });
const begun = z.strictObject({ url: z.string() });

const finishBody = z.object({
  verifier: secret,
  state: secret,
  code: z.string().check(z.minLength(1), z.maxLength(4_096)),
  iss: z.optional(z.nullable(z.string().check(z.maxLength(500)))),
});

const open = { sets: ['current'], access: 'public', query: nothing } as const;

export const oidcOperations = {
  readSignInWays: operation({
    ...open,
    method: 'GET',
    path: '/ops/sign-in',
    summary: 'The ways in which an operator can sign in.',
    message: 'Ways to sign in',
    body: nothing,
    data: signInWays,
    errors: [],
  }),
  beginOidcSignIn: operation({
    ...open,
    method: 'POST',
    path: '/ops/oidc',
    summary: 'Begins a sign-in by the identity provider. The page then opens the address of the answer.',
    message: 'Begun',
    body: beginBody,
    data: begun,
    errors: ['NOT_FOUND', 'RATE_LIMITED', 'IDENTITY_PROVIDER_UNAVAILABLE'],
  }),
  finishOidcSignIn: operation({
    ...open,
    method: 'POST',
    path: '/ops/oidc/sessions',
    summary: 'Opens a session by the code with which the identity provider sent the browser back.',
    message: 'Signed in',
    body: finishBody,
    data: newSession,
    errors: ['NOT_FOUND', 'INVALID_CREDENTIALS', 'ROLE_REQUIRED', 'RATE_LIMITED', 'IDENTITY_PROVIDER_UNAVAILABLE'],
  }),
} as const;

export const oidcSchemas = [
  described('SignInWays', signInWays, 'The ways in which an operator can sign in.', {
    password: 'By id and password.',
    oidc: 'By an identity provider, where the server has the setting `OIDC_ISSUER`.',
  }),
  described('OidcBeginBody', beginBody, 'The challenge of the page.', {
    challenge: 'The SHA-256 of the page’s `verifier`, as base64url. The page keeps the verifier in its tab.',
  }),
  described('OidcBegun', begun, 'The address of the identity provider.', {
    url: 'With state, nonce and a PKCE challenge. It is valid for ten minutes.',
  }),
  described('OidcFinishBody', finishBody, 'The answer of the identity provider, and the secret of the page.', {
    verifier: 'The text of the page whose SHA-256 began this sign-in.',
    state: 'As in the address of the page.',
    code: 'As in the address of the page; it is exchanged once.',
    iss: 'As in the address of the page, if present.',
  }),
];
