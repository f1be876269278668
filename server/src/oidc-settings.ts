import { z } from 'zod';
import { isIssuer, operatorRoles, urlOf, word } from './setting-values.ts';
import { ConfigError, optional, withDefault } from './variables.ts';

/** Settings of the operators' sign-in at an OpenID Connect provider. */
export const oidcVariables = {
  OIDC_ISSUER: optional(
    'OpenID Connect provider of the operators, https://…; unset: they sign in by password only',
    z.string().refine(isIssuer, 'expected https://…, or http://… on this machine'),
  ),
  OIDC_CLIENT_ID: optional('Client id of this server at OIDC_ISSUER', word('printable characters without spaces')),
  OIDC_SECRET_FILE: optional('File with the client secret; unset: a public client', z.string()),
  OIDC_REDIRECT_URL: optional(
    'Page that OIDC_ISSUER sends the browser back to; unset: /office/ below PUBLIC_URL',
    urlOf('http', 'https'),
  ),
  OIDC_SCOPES: withDefault(
    'openid profile',
    'Scopes of the sign-in',
    z.string().regex(/\bopenid\b/, 'expected openid among the scopes'),
  ),
  OIDC_ID_CLAIM: withDefault(
    'preferred_username',
    'Claim with the operator’s id, at most 10 letters and digits',
    word('the name of a claim'),
  ),
  OIDC_ROLE_CLAIM: withDefault('groups', 'Claim with roles or groups', word('the name of a claim')),
  OIDC_ROLES: withDefault(
    'look=tailgate-look,repair=tailgate-repair,admin=tailgate-admin',
    'Value of OIDC_ROLE_CLAIM for each role',
    operatorRoles(),
  ),
};

type Values = { [Name in keyof typeof oidcVariables]: ReturnType<(typeof oidcVariables)[Name]['parse']> };

/** Undefined without OIDC_ISSUER. @throws ConfigError */
export function readOidcSettings(
  read: <Name extends keyof Values>(name: Name) => Values[Name],
  publicUrl: string | undefined,
) {
  const issuer = read('OIDC_ISSUER');
  const [clientId, secretFile] = [read('OIDC_CLIENT_ID'), read('OIDC_SECRET_FILE')];
  const redirect = read('OIDC_REDIRECT_URL');
  const claims = { id: read('OIDC_ID_CLAIM'), role: read('OIDC_ROLE_CLAIM'), roles: read('OIDC_ROLES') };
  const scopes = read('OIDC_SCOPES');
  if (issuer === undefined) return undefined;
  if (clientId === undefined)
    throw new ConfigError('OIDC_CLIENT_ID: expected the client id, because OIDC_ISSUER is set');
  const redirectUrl = redirect ?? (publicUrl === undefined ? undefined : `${publicUrl}/office/`);
  if (redirectUrl === undefined)
    throw new ConfigError('OIDC_REDIRECT_URL: expected http(s)://… (or PUBLIC_URL), because OIDC_ISSUER is set');
  return { issuer, clientId, secretFile, redirectUrl, scopes, claims };
}
