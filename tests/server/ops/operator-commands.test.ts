import { beforeAll, describe, expect, test } from 'vitest';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { opsOperations } from '../../../server/src/ops/operations.ts';
import { operatorPassword, signInOperator } from '../../support/operators.ts';
import { startRestServer, type RestServer } from '../../support/rest-server.ts';

let node: RestServer;

beforeAll(async () => {
  node = await startRestServer();
});

const run = (...argv: string[]) =>
  runOpsCommand(parseOpsCommand(['operator', ...argv]), node.database.pool, { autocloseSeconds: 600, keyFile: '' });
const passwordIn = (text: string): string => text.split('\n')[0] ?? '';
const callerOf = async (headers: Record<string, string>) =>
  (await node.client.call(opsOperations.readCaller, { headers })).error?.code ?? 'valid';

describe('npm run ops -- operator', () => {
  test('adds an operator, whose one-time password signs in once it is replaced by an own one', async () => {
    const added = await run('add', 'maryb', '--name', 'Mary Brown', '--role', 'repair');
    expect(added).toContain('MARYB is an operator with the role repair.');
    const current_password = passwordIn(added);
    const headers = await signInOperator(node.client, 'MARYB', current_password);
    const body = { current_password, new_password: operatorPassword };
    const changed = await node.client.take(opsOperations.changeOperatorPassword, { headers, body });
    expect(changed.operator).toEqual({ id: 'MARYB', name: 'Mary Brown', role: 'repair' });
    expect(await run('list')).toMatch(/^MARYB {6}repair Mary Brown, active, last seen 20/);
  });

  test('refuses to add one that exists', async () => {
    await run('add', 'TWICE', '--name', 'T', '--role', 'look');
    await expect(run('add', 'TWICE', '--name', 'T', '--role', 'admin')).rejects.toThrow('the operator TWICE exists');
  });

  test('reset and revoke end the sessions at once; a revoked operator can be added again', async () => {
    const first = await signInOperator(
      node.client,
      'ANNA',
      passwordIn(await run('add', 'ANNA', '--name', 'A', '--role', 'look')),
    );
    const reset = await run('reset', 'ANNA');
    expect(await callerOf(first)).toBe('INVALID_TOKEN');
    const second = await signInOperator(node.client, 'ANNA', passwordIn(reset));
    expect(await run('revoke', 'ANNA')).toContain('ANNA is revoked');
    expect(await callerOf(second)).toBe('INVALID_TOKEN');
    expect(await run('list')).toMatch(/ANNA {7}look {3}A, revoked 20.* by npm run ops/);
    await expect(run('reset', 'ANNA')).rejects.toThrow('there is no operator ANNA');
    await expect(run('revoke', 'ANNA')).rejects.toThrow(/ANNA was revoked before, at 20\S+ by npm run ops/);
    await signInOperator(node.client, 'ANNA', passwordIn(await run('add', 'ANNA', '--name', 'A', '--role', 'admin')));
  });

  test.each([
    [[], 'operator is used so: npm run ops -- operator add ID'],
    [['add'], 'operator is used so'],
    [['add', 'MARYB'], 'operator is used so'],
    [['add', 'MARYB', '--name', 'M'], 'operator is used so'],
    [['add', 'MARY-B', '--name', 'M', '--role', 'look'], 'ID: expected 1 to 10 of A–Z and 0–9, got "MARY-B"'],
    [['add', 'ELEVENCHARS', '--name', 'M', '--role', 'look'], 'ID: expected 1 to 10'],
    [['add', 'M', '--name', 'M', '--role', 'boss'], '--role: expected one of look, repair, admin, got "boss"'],
    [['add', 'M', '--name', ' ', '--role', 'look'], '--name: expected 1 to 40 characters'],
    [['reset', 'M', '--role', 'look'], 'operator is used so'],
    [['list', 'M'], 'operator is used so'],
    [['promote', 'M'], 'operator is used so'],
  ])('%j is an error', (argv, line) => {
    expect(() => parseOpsCommand(['operator', ...argv])).toThrow(line);
  });
});
