import type { Operation, PathSetName } from '@tailgate/sync-protocol';
import { pathSets } from '@tailgate/sync-protocol';
import { operations } from '../../../server/src/http/operations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { openAreas, openPaths } from '../../../server/src/http/endpoints/open-paths.ts';
import { insertEmployees, password, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';

let documented: RestServer;
let strict: RestServer;

beforeAll(async () => {
  documented = await startRestServer();
  strict = await startRestServer({ database: documented.database, access: 'strict' });
  await insertEmployees(documented.database.pool, ['1001']);
});

interface Mounted {
  readonly name: string;
  readonly operation: Operation<unknown, unknown, unknown>;
  readonly paths: PathSetName;
}
const mounted: Mounted[] = Object.entries(operations).flatMap(([name, operation]) =>
  operation.sets.map((paths) => ({ name, operation, paths })),
);
const codeFor = async (server: RestServer, { operation, paths }: Mounted) =>
  (await server.client.send(operation.method, pathSets[paths] + operation.path)).error?.code;

/** Interface.md part 5, written here again and independent of the table under test; the proof is an addition. */
const protectedPaths = ['GET /route', 'PUT /route/stop', 'PUT /route/stop/skip-refuse', 'GET /route/stop/proof'];
const publicPaths =
  /^\/(auth\/|cell$|evidence\/take$|health$|health\/ready$|ops\/(sessions|sign-in|oidc|oidc\/sessions)$)/;

describe('interface.md part 5 and contract §8: the right to call each operation', () => {
  test.each(mounted)('$name, $paths: documented access', async (each) => {
    const { method, path } = each.operation;
    const isProtected =
      protectedPaths.includes(`${method} ${path}`) || (path.startsWith('/ops/') && !publicPaths.test(path));
    // Sign-out is open and checks its credentials itself.
    const asks = isProtected || path === '/auth/signout';
    expect((await codeFor(documented, each)) === 'MISSING_CREDENTIALS').toBe(asks);
  });

  test.each(mounted)('$name, $paths: strict access', async (each) => {
    const { path } = each.operation;
    const asks = !publicPaths.test(path) || path === '/auth/signout';
    expect((await codeFor(strict, each)) === 'MISSING_CREDENTIALS').toBe(asks);
  });

  test('strict accepts a driver where documented is open', async () => {
    const as = await signUp(strict.client, '1001');
    expect((await strict.client.call(operations.listRouteDrivers, { as })).success).toBe(true);
  });

  test('the start lists every address in the log, and its area for people', () => {
    expect(openPaths('documented', operations)).toContain('GET /api/v20/route/drivers');
    expect(openPaths('documented', operations)).not.toContain('GET /api/v20/route');
    expect(openAreas('documented', operations).join(' ')).toBe(
      '/auth/* /cell /route/drivers /route/stop/email-preview /health/* /assets/* /control/* /report/* /ops/sessions /ops/sign-in /ops/oidc/* /evidence/*',
    );
    expect(openPaths('strict', operations).join(' ')).not.toMatch(/route|ops\/(?!sessions|sign-in|oidc)/);
    // Not `/health/*`: the host's own diagnostics are closed then.
    expect(openAreas('strict', operations)).toEqual([
      '/auth/*',
      '/cell',
      '/health',
      '/health/ready',
      '/ops/sessions',
      '/ops/sign-in',
      '/ops/oidc/*',
      '/evidence/*',
    ]);
  });
});

describe('contract §8: operators', () => {
  const ask = (authorization: string) =>
    documented.client.call(operations.listQuarantine, { headers: { authorization } });

  test('the token opens the operators’ addresses, anything else does not', async () => {
    expect((await ask(`Bearer ${opsToken}`)).success).toBe(true);
    for (const header of [`Bearer ${opsToken}x`, `Bearer ${opsToken.slice(0, -1)}`, 'Bearer x'])
      expect((await ask(header)).error?.code).toBe('INVALID_TOKEN');
    for (const header of [`Basic ${opsToken}`, opsToken, 'Bearer ', ''])
      expect((await ask(header)).error?.code).toBe('MISSING_CREDENTIALS');
  });
});

describe('contract §2 and §8: permitted contents of logs', () => {
  test('no token, no password, no query string, at any level', async () => {
    const { client, logged } = documented;
    await client.call(operations.signIn, { body: { employee_id: '1001', password } });
    await client.call(operations.readRoute, { as: { employee_id: '1001', api_token: 'my-own-token' } });
    await client.call(operations.readRoute, { query: '?api_token=my-own-token&password=x-x-x' });
    await client.call(operations.listQuarantine, { headers: { authorization: 'Bearer my-own-token' } });
    const text = logged.join('');
    expect(text).toContain('/api/auth/signin');
    for (const secret of [password, 'my-own-token', 'x-x-x', opsToken, '$argon2id']) expect(text).not.toContain(secret);
  });
});
