import { describe, expect, test } from 'vitest';
import { environment, skipped, sleeps } from './house/code-rules.ts';
import { browserSafe, circles, direction } from './house/direction-rules.ts';
import { citations, length, machinePaths, names, portableScripts, silence } from './house/file-rules.ts';
import { findings, readTree } from './house/source-file.ts';
import { consoleTables, sqlPlace } from './house/sql-rules.ts';

const rules = [
  ...[direction, circles, browserSafe, sqlPlace, consoleTables],
  ...[names, length, machinePaths, silence, portableScripts, citations],
  ...[environment, sleeps, skipped],
];

// House rules that the linter cannot express. tests/house/rules.test.ts proves that each of them can fail.
describe('the tree keeps the house rules', () => {
  const tree = readTree();

  test('it is the tree that is read', () => {
    const known = ['.ci/run', 'package.json', 'server/src/config.ts', 'tests/house.test.ts'];
    expect([...tree.keys()]).toEqual(expect.arrayContaining(known));
  });

  test.each(rules)('$name', (rule) => {
    expect(findings(rule, tree)).toEqual([]);
  });
});
