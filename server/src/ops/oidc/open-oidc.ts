import { readSecret } from '../../runtime/kept-secret.ts';
import type { ClaimNames } from './claims.ts';
import type { Oidc } from './oidc.ts';
import { OidcProvider, type OidcSettings } from './provider.ts';

interface OidcConfig extends Omit<OidcSettings, 'clientSecret'> {
  readonly secretFile: string | undefined;
  readonly claims: ClaimNames;
}

/** @throws StartError where the file of the client secret cannot be read */
export async function openOidc(config: OidcConfig | undefined): Promise<Oidc | undefined> {
  if (!config) return undefined;
  const { secretFile, claims, ...settings } = config;
  const clientSecret = secretFile === undefined ? undefined : await readSecret(secretFile, 'OIDC_SECRET_FILE');
  return { provider: new OidcProvider({ ...settings, clientSecret }), claims };
}
