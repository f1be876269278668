import * as client from 'openid-client';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** The page that the provider sends the browser back to. */
  readonly redirectUrl: string;
  readonly scopes: string;
}

/** The values that bind an answer of the provider to its request. */
export interface OidcRequest {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636), between this server and the provider. */
  readonly verifier: string;
}

/** The parameters that the provider adds to the address of the page. */
export interface OidcAnswer {
  readonly code: string;
  readonly state: string;
  /** RFC 9207; absent where the provider does not support it. */
  readonly iss: string | undefined;
}

/** Claims about a person, as the provider names them. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** The provider cannot be reached, or its answers break the protocol before any sign-in. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

/** The provider or its signature refuses this sign-in. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
}

const TIMEOUT_SECONDS = 10;

/** An OpenID Connect provider: authorization code with PKCE, state and nonce. */
export class OidcProvider {
  readonly #settings: OidcSettings;
  #discovered: Promise<client.Configuration> | undefined;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
  }

  get issuer(): string {
    return this.#settings.issuer;
  }

  /** The address at which a person signs in. @throws ProviderUnavailable */
  async addressFor({ state, nonce, verifier }: OidcRequest): Promise<string> {
    const { redirectUrl, scopes } = this.#settings;
    const configuration = await this.#discover();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUrl,
      scope: scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Exchanges the code and reads the claims, of the ID token and of the userinfo endpoint.
   * @throws ProviderUnavailable, SignInRefused
   */
  async claimsOf({ code, state, iss }: OidcAnswer, { nonce, verifier }: Omit<OidcRequest, 'state'>): Promise<Claims> {
    const configuration = await this.#discover();
    const address = new URL(this.#settings.redirectUrl);
    for (const [name, value] of Object.entries({ code, state, ...(iss !== undefined && { iss }) }))
      address.searchParams.set(name, value);
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await client.authorizationCodeGrant(configuration, address, checks);
      const claims = tokens.claims();
      if (!claims) throw new SignInRefused('the provider sent no ID token');
      const { userinfo_endpoint } = configuration.serverMetadata();
      if (userinfo_endpoint === undefined) return claims;
      return { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** Reads the provider's metadata once. A failure is not kept: the next sign-in tries again. */
  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    this.#discovered ??= client.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret),
      { timeout: TIMEOUT_SECONDS, ...(issuer.startsWith('http:') && { execute: [client.allowInsecureRequests] }) },
    );
    const discovered = this.#discovered;
    try {
      return await discovered;
    } catch (error) {
      if (this.#discovered === discovered) this.#discovered = undefined;
      throw new ProviderUnavailable(codeOf(error));
    }
  }
}

/** The library's messages may repeat an answer of the provider, so only their codes go on. */
function refusalOf(error: unknown): Error {
  if (error instanceof SignInRefused) return error;
  const status = error instanceof client.ResponseBodyError ? error.status : undefined;
  const isNetwork =
    error instanceof TypeError || (error instanceof client.ClientError && error.code === 'OAUTH_TIMEOUT');
  return isNetwork || (status !== undefined && status >= 500)
    ? new ProviderUnavailable(codeOf(error))
    : new SignInRefused(codeOf(error));
}

function codeOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return error.error;
  if (error instanceof client.ClientError && error.code !== undefined) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
