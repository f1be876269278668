import { expect, test } from 'vitest';
import { statementsOf } from '../../server/src/db/sql-statements.ts';

test('a script is split at its semicolons, and at no other', () => {
  const first = `-- a comment; with one\ncreate table a (b text default ';', "c;d" text)`;
  const second = `create function f() returns int language sql as $body$ select 1; $body$`;
  const third = `/* ; */ select E'\\';', '''; '''`;
  expect(statementsOf(`${first};\n${second};\n${third};\n-- the end;\n`)).toEqual([first, second, third]);
});
