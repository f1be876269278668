import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { openLogger, sentences } from '../../server/src/runtime/logger.ts';
import { createDatabase } from '../support/postgres.ts';

function lineOf(err: unknown): string {
  const lines: string[] = [];
  openLogger('info', { write: (line) => void lines.push(line) }).error({ err }, 'it failed');
  return lines.join('');
}

test('the log of a database error contains its place and not the row', async () => {
  const { pool } = await createDatabase({ empty: true });
  await pool.query('create table secret (id integer primary key, password text not null, length integer not null)');
  const error: unknown = await pool.query('insert into secret values (1, $1, null)', ['hunter2']).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const line = lineOf(error);
  expect(JSON.stringify(error)).toContain('hunter2');
  expect(line).not.toContain('hunter2');
  expect(JSON.parse(line)).toMatchObject({ err: { code: '23502', table: 'secret', column: 'length' } });
});

test('the log contains an error’s causes, up to the fifth', () => {
  const ring = new Error('outer', { cause: new Error('inner') });
  ring.cause = new Error('inner', { cause: ring });
  const line = lineOf(ring);
  expect(line.match(/"message":"inner"/g)).toHaveLength(3);
  expect(lineOf(new AggregateError([new Error('first'), new Error('second')], 'both'))).toContain('"message":"second"');
});

test('a copy of an error is logged as the error is; other values are left out', () => {
  const facts = { code: '08006', detail: 'a password' };
  const error = Object.assign(new Error('the connection broke'), facts);
  const { message, stack } = error;
  const copy = { ...facts, message, stack, queue: 'mail' };
  for (const thrown of [error, copy])
    expect(JSON.parse(lineOf(thrown))).toMatchObject({ err: { message, stack, code: '08006' } });
  for (const thrown of [copy, 'a password', { message: 'a password' }, { message: 7, stack: 'a password' }])
    expect(lineOf(thrown)).not.toContain('a password');
});

test('a terminal shows one sentence an event, with its subjects and without the long list of the start', async () => {
  const terminal = new PassThrough();
  openLogger('info', sentences(terminal)).warn({ route: 'F01/R100', open: ['GET /api'] }, 'it waits');
  const shown: unknown[] = await once(terminal, 'data');
  expect(stripVTControlCharacters(String(shown[0]))).toMatch(
    /^\[\d\d:\d\d:\d\d\] WARN: it waits \{"route":"F01\/R100"\}\n$/,
  );
});
