import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { atFileEnd } from './file-end.ts';

/** A person of the identity provider, by login name; the login name is the subject. */
export type Person = Readonly<Record<string, unknown>>;

export interface IdentityProvider {
  readonly issuer: string;
  /** Changes while the provider runs count at the next sign-in. */
  readonly people: Map<string, Person>;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly stop: () => Promise<void>;
}

/** A real OpenID Connect provider that requires PKCE. It ends with the file. */
export async function startIdentityProvider(redirectUrl: string): Promise<IdentityProvider> {
  const people = new Map<string, Person>();
  const [clientId, clientSecret] = ['tailgate', 'a secret between two servers'];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${portOf(server.address())}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUrl] }],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['preferred_username', 'name', 'groups'] },
    findAccount: (_context, sub) => {
      const person = people.get(sub);
      return person && { accountId: sub, claims: () => ({ sub, ...person }) };
    },
    cookies: { keys: ['for the cookies of this test'] },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  atFileEnd(stop);
  return { issuer, people, clientId, clientSecret, stop };
}

const portOf = (address: string | AddressInfo | null): number =>
  typeof address === 'object' && address ? address.port : 0;

/** A person at the provider's own pages: enters the login name and consents. Returns the address of the page after it. */
export async function signInAtProvider(address: string, login: string, redirectUrl: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next: { url: string; form?: Record<string, string> } = { url: address };
  for (let step = 0; step < 12; step++) {
    const response = await fetch(next.url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(next.form && { method: 'POST', body: new URLSearchParams(next.form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    if (location !== null) {
      const url = new URL(location, next.url);
      if (url.href.startsWith(redirectUrl)) return url;
      next = { url: url.href };
      continue;
    }
    if (response.status !== 200) throw new Error(`the provider answered ${response.status}: ${page.slice(0, 300)}`);
    const [, action = next.url] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
    const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
    next = { url: new URL(action, next.url).href, form: { prompt, login, password: 'any' } };
  }
  throw new Error('the provider sent the browser in a circle');
}
