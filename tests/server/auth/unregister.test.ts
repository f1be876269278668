import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { insertEmployees, password, signIn, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { readRoute, listEmployees, signIn: signin } = operations;

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
  await insertEmployees(server.database.pool, ['1001', '1002']);
});

const unregister = (...argv: string[]) =>
  runOpsCommand(parseOpsCommand(['unregister', ...argv]), server.database.pool, { autocloseSeconds: 600, keyFile: '' });

describe('npm run ops -- unregister (contract §2)', () => {
  test('ends the sessions and the password; the employee may sign up again', async () => {
    const before = await signUp(server.client, '1001');
    const notified = Promise.withResolvers<string>();
    await server.listener.onNotify('tailgate_sessions', notified.resolve);
    expect(await unregister('1001')).toContain('1001 is not registered any more');
    // Nodes receive it by NOTIFY: the command runs beside them.
    expect(await notified.promise).toBe('1001');
    expect((await server.client.call(readRoute, { as: before })).error?.code).toBe('INVALID_TOKEN');
    const reply = await server.client.call(signin, { body: { employee_id: '1001', password } });
    expect(reply.error?.code).toBe('INVALID_CREDENTIALS');
    expect(await server.client.take(listEmployees)).not.toContain('1001');

    const after = await signUp(server.client, '1001');
    expect((await server.client.call(readRoute, { as: after })).error?.code).toBe('NO_PENDING_ROUTE');
    expect((await signIn(server.client, '1001')).api_token).not.toBe(after.api_token);
  });

  test('reports an unknown employee, and changes no other', async () => {
    const other = await signUp(server.client, '1002');
    await expect(unregister('9999')).rejects.toThrow('no employee with the id 9999 is registered');
    expect((await server.client.call(readRoute, { as: other })).error?.code).toBe('NO_PENDING_ROUTE');
  });

  test.each([[[]], [['1001', '1002']], [['1001', '--reason', 'x']]])('refuses %j', (argv) => {
    expect(() => parseOpsCommand(['unregister', ...argv])).toThrow('npm run ops -- unregister EMPLOYEE');
  });
});
