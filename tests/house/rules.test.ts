import { describe, expect, test } from 'vitest';
import { environment, skipped, sleeps } from './code-rules.ts';
import { browserSafe, circles, direction } from './direction-rules.ts';
import { citations, length, machinePaths, names, portableScripts, silence } from './file-rules.ts';
import { findings } from './source-file.ts';
import type { Rule, SourceFile } from './source-file.ts';
import { consoleTables, sqlPlace } from './sql-rules.ts';

const treeOf = (files: Record<string, string>): Map<string, SourceFile> =>
  new Map(Object.entries(files).map(([path, text]) => [path, { path, text }]));

function finds(rule: Rule, path: string, text: string, message: string): void {
  test(`${rule.name}: ${path}, ${message}`, () => {
    expect(findings(rule, treeOf({ [path]: text })).join('\n')).toContain(message);
  });
}

function accepts(rule: Rule, path: string, text: string): void {
  test(`${rule.name}: ${path}, ${text.slice(0, 60)}`, () => {
    expect(findings(rule, treeOf({ [path]: text }))).toEqual([]);
  });
}

describe('each rule finds its violation', () => {
  finds(
    direction,
    'server/src/stops/rules.ts',
    `import { mount } from '../http/answers/mount.ts';`,
    'may not import server/src/http/',
  );
  finds(direction, 'server/src/stops/rules.ts', `import { pool } from '../db/pool.ts';`, 'as a type it may');
  finds(direction, 'server/src/sync/feed.ts', `export * from '../http/errors.ts';`, 'never another edge');
  finds(
    direction,
    'server/src/http/endpoints/stop-endpoints.ts',
    `const feed = await import('../../sync/feed.ts');`,
    'never another edge',
  );
  finds(
    direction,
    'sync-protocol/src/wire/version.ts',
    `import { x } from '@tailgate/server';`,
    'frames carry documents',
  );
  finds(direction, 'server/src/routes/rules.ts', `import pg from 'pg';`, 'pg belongs to');
  finds(direction, 'server/src/elsewhere/thing.ts', `export const x = 1;`, 'belongs to no part');
  finds(sqlPlace, 'server/src/stops/rules.ts', 'const q = `select id from stop`;', 'outside sql.ts');
  finds(sqlPlace, 'server/src/stops/rules.ts', `run('insert into stop values ($1)');`, 'outside sql.ts');
  finds(sqlPlace, 'server/src/stops/sql.ts', 'export const q = `SELECT id from stop`;', 'lower case, not SELECT');
  finds(
    sqlPlace,
    'server/src/stops/sql.ts',
    'const f = (id) => `select a from stop where id = ${id}`;',
    'splices `id`',
  );
  finds(consoleTables, 'tests/pages/office-x.check.ts', 'run(`insert into parked values (1)`);', 'writes a table');
  finds(consoleTables, 'tests/pages/desk.ts', 'run(`update operator set name = $1`);', 'writes a table');
  finds(names, 'server/src/stops/stopRules.ts', '', 'not kebab-case');
  finds(names, 'server/src/utils/text.ts', '', 'is too general');
  finds(names, 'server/src/route-manager.ts', '', 'is too general');
  finds(length, 'server/src/long.ts', 'x\n'.repeat(401), '401 lines');
  finds(machinePaths, 'docs/start.md', ['see ', 'work/main'].join('/'), 'path of one machine');
  finds(machinePaths, 'tests/a.ts', `open('${['', 'tmp', 'x'].join('/')}')`, 'path of one machine');
  finds(silence, 'server/src/a.ts', `// ${['@ts', 'ignore'].join('-')}`, 'silences a tool');
  finds(silence, 'server/src/a.ts', `const x = y ${['as', 'unknown', 'as'].join(' ')} string;`, 'silences a tool');
  finds(portableScripts, 'package.json', '"start": "exec node server/src/main.ts"', 'needs a POSIX shell');
  finds(portableScripts, 'server/package.json', '"start": "PORT=1 node main.ts"', 'needs a POSIX shell');
  finds(portableScripts, 'package.json', `"a": "node -e 'x()'"`, 'needs a POSIX shell');
  finds(citations, 'server/src/a.ts', '/** As protocol.md says. */', '"protocol.md" is not a page of the project');
  finds(citations, 'server/src/a.ts', '// No request is sent (decision 99).', '"decision 99" does not exist');
  finds(citations, 'server/src/a.ts', '/** As in `db/lost.ts`. */', '"db/lost.ts" is not a file of the project');
  finds(citations, 'docs/a.md', 'Read `server/src/lost.ts`.', '"server/src/lost.ts" is not a file of the project');
  finds(environment, 'server/src/db/pool.ts', 'const url = process.env.DATABASE_URL;', 'take it from config.ts');
  finds(environment, 'server/src/db/pool.ts', 'const { PORT } = process.env;', 'take it from config.ts');
  finds(sleeps, 'tests/a.test.ts', 'await new Promise((done) => setTimeout(done, 50));', 'sleeps');
  finds(sleeps, 'tests/a.test.ts', `import { setTimeout } from 'node:timers/promises';`, 'sleeps');
  finds(skipped, 'tests/a.test.ts', `it.skip('later', () => {});`, 'cannot fail');
  finds(skipped, 'tests/a.test.ts', `describe.runIf(linux)('y', () => {});`, 'cannot fail');

  test('browser-safe code: the rule finds a built-in three imports deep, with its chain', () => {
    const tree = treeOf({
      'client-sdk/src/index.ts': `export * from './client.ts';`,
      'client-sdk/src/client.ts': `import { open } from './store/open.ts';`,
      'client-sdk/src/store/open.ts': `import { readFile } from 'fs';`,
    });
    expect(findings(browserSafe, tree).join()).toContain('imports fs; reached by client-sdk/src/index.ts → ');
  });
});

test('the rule finds a circle through types and three files, and names its chain', () => {
  const tree = treeOf({
    'server/src/sync/hub.ts': `import type { Connection } from './connection.ts';`,
    'server/src/sync/connection.ts': `import { Line } from './line.ts';`,
    'server/src/sync/line.ts': `export { Hub } from './hub.ts';\nimport { clock } from '../clock.ts';`,
    'server/src/clock.ts': '',
  });
  const found = findings(circles, tree);
  expect(found).toHaveLength(3);
  expect(found[0]).toContain('sync/connection.ts → server/src/sync/line.ts → server/src/sync/hub.ts');
});

describe('each rule accepts valid code', () => {
  accepts(direction, 'server/src/stops/queries.ts', `import type { Tx } from '../db/types.ts';`);
  accepts(direction, 'server/src/stops/rules.ts', `import { routeKey } from '../routes/rules.ts';`);
  accepts(direction, 'server/src/replication/to-host/worker.ts', `import { openHost } from './host/open.ts';`);
  accepts(direction, 'client-sdk/src/client.ts', `import { frame } from '@tailgate/sync-protocol';`);
  accepts(
    sqlPlace,
    'server/src/stops/rules.ts',
    `throw new Error('update the stop and select a reason from the list');`,
  );
  accepts(
    sqlPlace,
    'server/src/stops/sql.ts',
    'const columns = `a, b`; export const q = `select ${columns} from stop`;',
  );
  accepts(consoleTables, 'tests/pages/office-x.check.ts', 'run(`update PODDTA.FACMSTP set FATZ = $1`);');
  accepts(environment, 'server/src/main.ts', 'const config = loadConfig(process.env, process.argv);');
  accepts(
    sleeps,
    'tests/a.test.ts',
    'await new Promise((done, fail) => { setTimeout(() => fail(new Error("late")), 50); on(done); });',
  );
  accepts(
    machinePaths,
    'docs/protocol.md',
    'GET /route/drivers and /workers answer alike; see https://example.org/home/page',
  );
  accepts(portableScripts, 'package.json', '"start": "node server/src/main.ts && tsc -p .", "node": "24.21.0"');
  accepts(names, 'server/migrations/0001_mirror.sql', '');
  accepts(citations, 'server/src/a.ts', '/** Interface.md 4.4, contract §4. */');
  accepts(citations, 'server/src/a.ts', "import { b } from './b.ts'; // as in `a.ts`");
});
