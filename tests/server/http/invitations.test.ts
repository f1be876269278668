import { operations } from '../../../server/src/http/operations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { insertEmployees, password } from '../../support/people.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';

const { invite, listInvitations, signUp, withdrawInvitation } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const DAY = 24 * 3_600_000;

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer({ signup: 'invited' });
  await insertEmployees(server.database.pool, ['1001', '1002', '1003', '1004', '1005', '1006', '1007']);
  await server.database.pool.query(`update employee set facility = 'F02' where id in ('1004', '1005')`);
});

const ops = (...argv: string[]) =>
  runOpsCommand(parseOpsCommand(argv), server.database.pool, { autocloseSeconds: 600, keyFile: '' });
const invited = (body: object) => server.client.take(invite, { headers, body: { by: 'MILLER', ...body } });
const enter = async (employee_id: string, invitation?: string) => {
  const reply = await server.client.call(signUp, { body: { employee_id, password, invitation } });
  return reply.error?.code ?? 'signed up';
};

describe('SIGNUP=invited', () => {
  test('a code is for one employee and one sign-up, and is stored as a hash', async () => {
    const { code, invitation_id } = await invited({ employee: '1001' });
    expect(await enter('1001')).toBe('INVITATION_REQUIRED');
    expect(await enter('1002', code)).toBe('INVITATION_REQUIRED');
    expect(await enter('9999', code)).toBe('INVITATION_REQUIRED');
    expect(await enter('1001', code.toLowerCase().replaceAll('-', ' '))).toBe('signed up');
    expect(await enter('1001', code)).toBe('INVITATION_REQUIRED');
    const { rows } = await server.database.pool.query('select * from invitation');
    expect(JSON.stringify(rows)).toContain(invitation_id);
    expect(JSON.stringify([rows, server.logged])).not.toContain(code);
  });

  test('a depot’s code is for its drivers, up to its number of uses', async () => {
    const { code } = await invited({ facility: 'F02', uses: 2 });
    expect(await enter('1003', code)).toBe('INVITATION_REQUIRED');
    expect(await enter('1004', code)).toBe('signed up');
    expect(await enter('1004', code)).toBe('ALREADY_REGISTERED');
    expect(await server.client.take(listInvitations, { headers })).toMatchObject([{ facility: 'F02', uses_left: 1 }]);
    expect(await enter('1005', code)).toBe('signed up');
    expect(await server.client.take(listInvitations, { headers })).toEqual([]);
  });

  test('of two sign-ups with a last use one succeeds, and the other leaves no account', async () => {
    const { code } = await invited({ facility: 'F01', uses: 1 });
    const answers = await Promise.all(['1002', '1003'].map((employee) => enter(employee, code)));
    expect(answers.toSorted()).toEqual(['INVITATION_REQUIRED', 'signed up']);
    const { rows } = await server.database.pool.query(`select from account where employee in ('1002', '1003')`);
    expect(rows).toHaveLength(1);
  });

  test('a code ends when it expires or is withdrawn', async () => {
    const { code } = await invited({ employee: '1006', days: 2 });
    const now = server.clock.now;
    server.clock.now = new Date(now.getTime() + 2 * DAY);
    expect(await enter('1006', code)).toBe('INVITATION_REQUIRED');
    server.clock.now = now;
    const next = await invited({ employee: '1006' });
    const params = { invitation_id: next.invitation_id };
    await server.client.take(withdrawInvitation, { headers, params, body: { by: 'MILLER' } });
    expect(await enter('1006', next.code)).toBe('INVITATION_REQUIRED');
    const again = await server.client.call(withdrawInvitation, { headers, params, body: { by: 'MILLER' } });
    expect(again.error?.code).toBe('INVITATION_NOT_FOUND');
  });

  test('the operators’ command does the same', async () => {
    const [code = ''] = (await ops('invite', '1007')).split('\n');
    const listed = (await ops('invitations')).split('\n');
    const line = listed.find((each) => each.includes('employee 1007')) ?? '';
    expect(line).toContain('1 of 1 left');
    await ops('withdraw', line.split(':')[0] ?? '');
    expect(await enter('1007', code)).toBe('INVITATION_REQUIRED');
    const [other] = (await ops('invite', '1007', '--days', '1')).split('\n');
    expect(await enter('1007', other)).toBe('signed up');
    await expect(ops('invite', '9999')).rejects.toThrow('the master has no such active employee or facility');
    expect(() => parseOpsCommand(['invite', '1001', '--facility', 'F01'])).toThrow('invite EMPLOYEE | --facility F');
    expect(() => parseOpsCommand(['invite', '1001', '--uses', '2'])).toThrow('uses: must be 1 for one employee');
  });

  test('a code is refused for an employee outside the master, and for an employee together with a depot', async () => {
    const ask = async (body: object) => {
      const reply = await server.client.call(invite, { headers, body: { by: 'MILLER', ...body } });
      return [reply.error?.code, reply.error?.details[0]?.path];
    };
    expect(await ask({ employee: '9999' })).toEqual(['EMPLOYEE_NOT_FOUND', undefined]);
    expect(await ask({ employee: '1001', facility: 'F01' })).toEqual(['VALIDATION_FAILED', 'employee']);
    expect(await ask({ employee: '1001', uses: 2 })).toEqual(['VALIDATION_FAILED', 'uses']);
  });
});

test('guesses are slowed down as those of passwords are', async () => {
  const guessed = await startRestServer({ signup: 'invited', database: server.database });
  await insertEmployees(server.database.pool, ['2001']);
  const { code } = await guessed.client.take(invite, { headers, body: { by: 'MILLER', employee: '2001' } });
  const guess = async (invitation: string) => {
    const reply = await guessed.client.call(signUp, { body: { employee_id: '2001', password, invitation } });
    return reply.error?.code;
  };
  for (let n = 0; n < 5; n++) expect(await guess(`GUESS ${n}`)).toBe('INVITATION_REQUIRED');
  // The right code, too.
  expect(await guess(code)).toBe('RATE_LIMITED');
  guessed.clock.now = new Date(guessed.clock.now.getTime() + 3_000);
  expect(await guess(code)).toBeUndefined();
});

test('without the setting no code is needed, and a code is ignored', async () => {
  const open = await startRestServer({ database: server.database });
  await insertEmployees(server.database.pool, ['3001']);
  const body = { employee_id: '3001', password, invitation: 'nothing' };
  expect((await open.client.take(signUp, { body })).employee_id).toBe('3001');
});
