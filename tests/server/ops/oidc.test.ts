import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { OidcProvider, type OidcSettings } from '../../../server/src/ops/oidc/provider.ts';
import { opsOperations } from '../../../server/src/ops/operations.ts';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { startIdentityProvider, signInAtProvider, type IdentityProvider } from '../../support/identity-provider.ts';
import { bearer, operatorHeaders } from '../../support/operators.ts';
import type { Reply } from '../../support/rest-client.ts';
import { startRestServer, type RestServer } from '../../support/rest-server.ts';

const { beginOidcSignIn, finishOidcSignIn, readCaller, readSignInWays, signInOperator } = opsOperations;
const redirectUrl = 'http://127.0.0.1:9/office/';
const minute = 60_000;

let provider: IdentityProvider;
let settings: OidcSettings;
let node: RestServer;

beforeAll(async () => {
  provider = await startIdentityProvider(redirectUrl);
  const { issuer, clientId, clientSecret } = provider;
  settings = { issuer, clientId, clientSecret, redirectUrl, scopes: 'openid profile' };
  node = await startServer(settings);
});

const startServer = (to: OidcSettings) => {
  const claims = {
    id: 'preferred_username',
    role: 'groups',
    roles: { look: 'pod-look', repair: 'pod', admin: 'pod-admin' },
  };
  return startRestServer({ oidc: { provider: new OidcProvider(to), claims } });
};

const random = () => randomBytes(32).toString('base64url');
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** A page begins a sign-in, and a person finishes it at the provider. */
async function atProvider(login: string) {
  const verifier = random();
  const { url } = await node.client.take(beginOidcSignIn, { body: { challenge: challengeOf(verifier) } });
  const address = await signInAtProvider(url, login, redirectUrl);
  const { code = '', state = '', iss } = Object.fromEntries(address.searchParams);
  return { verifier, code, state, iss };
}

const finish = (body: object): Promise<Reply> => node.client.call(finishOidcSignIn, { body });
const enter = async (login: string) => finish(await atProvider(login));

describe('a sign-in by the identity provider', () => {
  test('signs an operator in, with the highest role of the claim', async () => {
    provider.people.set('u-17', {
      preferred_username: 'maryb',
      name: 'Mary Brown',
      groups: ['drivers', 'pod-look', 'pod'],
    });
    expect(await node.client.take(readSignInWays)).toEqual({ password: true, oidc: true });
    const body = await atProvider('u-17');
    const { token, ...session } = await node.client.take(finishOidcSignIn, { body });
    expect(session.operator).toEqual({ id: 'MARYB', name: 'Mary Brown', role: 'repair' });
    const caller = await node.client.take(readCaller, { headers: bearer(token) });
    expect(caller).toEqual({ kind: 'operator', session, facilities: [] });
  });

  test('a role changes with the next sign-in; without one there is none', async () => {
    provider.people.set('u-18', { preferred_username: 'ROLES', name: 'R', groups: 'pod-admin' });
    expect((await enter('u-18')).data).toMatchObject({ operator: { role: 'admin' } });
    provider.people.set('u-18', { preferred_username: 'ROLES', name: 'R', groups: ['pod-look'] });
    expect((await enter('u-18')).data).toMatchObject({ operator: { role: 'look' } });
    provider.people.set('u-18', { preferred_username: 'ROLES', name: 'R', groups: ['drivers'] });
    const refused = await enter('u-18');
    expect(refused).toMatchObject({ status: 403, error: { code: 'ROLE_REQUIRED' } });
    expect(refused.message).toContain('groups');
  });

  test.each([{ preferred_username: 'too-long-for-the-host' }, { preferred_username: 'm@b' }, {}])(
    '%j is no operator’s id',
    async (claims) => {
      provider.people.set('u-19', { ...claims, groups: ['pod'] });
      const refused = await enter('u-19');
      expect(refused).toMatchObject({ status: 403, error: { code: 'ROLE_REQUIRED' } });
      expect(refused.message).toContain('preferred_username');
    },
  );

  test('another account never takes the id of an operator', async () => {
    const ofPassword = await operatorHeaders(node, 'admin', 'BYWORD');
    provider.people.set('u-20', { preferred_username: 'BYWORD', groups: ['pod'] });
    expect((await enter('u-20')).error?.code).toBe('ROLE_REQUIRED');
    expect(await node.client.take(readCaller, { headers: ofPassword })).toMatchObject({
      session: { operator: { role: 'admin' } },
    });
    provider.people.set('u-21', { preferred_username: 'FIRST', groups: ['pod'] });
    provider.people.set('u-22', { preferred_username: 'FIRST', groups: ['pod'] });
    expect((await enter('u-21')).success).toBe(true);
    expect((await enter('u-22')).error?.code).toBe('ROLE_REQUIRED');
    provider.people.set('u-21', { preferred_username: 'OTHER', groups: ['pod'] });
    expect((await enter('u-21')).error?.code).toBe('ROLE_REQUIRED');
  });

  test('a revoked operator stays out, and has no password', async () => {
    provider.people.set('u-23', { preferred_username: 'LEFT', groups: ['pod'] });
    const { token } = await node.client.take(finishOidcSignIn, { body: await atProvider('u-23') });
    const run = (act: string) =>
      runOpsCommand(parseOpsCommand(['operator', act, 'LEFT']), node.database.pool, {
        autocloseSeconds: 600,
        keyFile: '',
      });
    await expect(run('reset')).rejects.toThrow('the identity provider signs it in');
    await run('revoke');
    expect((await node.client.call(readCaller, { headers: bearer(token) })).error?.code).toBe('INVALID_TOKEN');
    expect((await enter('u-23')).error?.code).toBe('ROLE_REQUIRED');
    const body = { operator: 'LEFT', password: 'any' };
    expect((await node.client.call(signInOperator, { body })).error?.code).toBe('INVALID_CREDENTIALS');
  });
});

describe('an answer of the provider', () => {
  beforeAll(() => {
    provider.people.set('u-30', { preferred_username: 'STOLEN', groups: ['pod'] });
  });

  test('opens one session, once', async () => {
    const body = await atProvider('u-30');
    expect((await finish(body)).success).toBe(true);
    expect((await finish(body)).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('opens nothing for a page that did not begin it', async () => {
    const { verifier, ...stolen } = await atProvider('u-30');
    expect((await finish({ ...stolen, verifier: random() })).error?.code).toBe('INVALID_CREDENTIALS');
    const own = await atProvider('u-30');
    expect((await finish({ ...stolen, state: own.state, verifier: own.verifier })).error?.code).toBe(
      'INVALID_CREDENTIALS',
    );
    // The owner of the first one is not disturbed.
    expect((await finish({ ...stolen, verifier })).success).toBe(true);
  });

  test.each([
    ['another code', { code: 'made-up' }],
    ['another issuer', { iss: 'https://other.example.com' }],
    ['an unknown state', { state: 'A'.repeat(43) }],
  ])('with %s opens nothing', async (_what, wrong) => {
    expect((await finish({ ...(await atProvider('u-30')), ...wrong })).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('expires after ten minutes', async () => {
    const body = await atProvider('u-30');
    node.clock.now = new Date(node.clock.now.getTime() + 10 * minute);
    expect((await finish(body)).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test.each([
    [{ verifier: 'short' }, 'verifier'],
    [{ state: '' }, 'state'],
    [{ code: '' }, 'code'],
  ])('%j is an error that names the field', async (wrong, path) => {
    const body = { verifier: random(), state: random(), code: 'x', ...wrong };
    expect((await finish(body)).error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path }] });
  });

  test('sixty tries of one address in a minute are the limit', async () => {
    const begin = () => node.client.call(beginOidcSignIn, { body: { challenge: challengeOf('x') } });
    let reply = await begin();
    for (let n = 0; n < 60 && reply.success; n++) reply = await begin();
    expect(reply).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
    node.clock.now = new Date(node.clock.now.getTime() + minute);
    expect((await begin()).success).toBe(true);
  });
});

test('no code, state, token or secret is in a log or a table', async () => {
  provider.people.set('u-40', { preferred_username: 'LOGGED', groups: ['pod'] });
  const body = await atProvider('u-40');
  const { token } = await node.client.take(finishOidcSignIn, { body });
  await finish({ ...(await atProvider('u-40')), code: 'made-up' });
  const { rows } = await node.database.pool.query<{ row: string }>(
    `select o::text as row from operator o union all select s::text from operator_session s
     union all select s::text from oidc_sign_in s`,
  );
  const text = [...node.logged, ...rows.map(({ row }) => row), JSON.stringify(node.log)].join('\n');
  expect(text).toContain('an operator has signed in by the identity provider');
  expect(text).toContain('the identity provider refused a sign-in');
  for (const secret of [body.code, body.state, body.verifier, token, provider.clientSecret, 'made-up'])
    expect(text).not.toContain(secret);
});

test('without a provider there is none, and an unreachable one is 503', async () => {
  const none = await startRestServer();
  expect(await none.client.take(readSignInWays)).toEqual({ password: true, oidc: false });
  const call = { body: { challenge: challengeOf('x') } };
  expect((await none.client.call(beginOidcSignIn, call)).error?.code).toBe('NOT_FOUND');
  const lost = await startIdentityProvider(redirectUrl);
  const away = await startServer({ ...settings, issuer: lost.issuer });
  await lost.stop();
  expect((await away.client.call(beginOidcSignIn, call)).error?.code).toBe('IDENTITY_PROVIDER_UNAVAILABLE');
});
