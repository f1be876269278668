import { describe, expect, test } from 'vitest';
import { readTree } from '../house/source-file.ts';
import { countIdiom, countRelativeClauses, isFactual, proseOf } from './prose.ts';

/** Both limits may fall with the tree; they never rise. */
const MAX_PER_10_000 = 5;
const MAX_RELATIVE_PER_10_000 = 2;

const tree = [...readTree().values()];
const prose = tree.flatMap(proseOf);

describe('plain words', () => {
  test(`the tree has at most ${MAX_PER_10_000} idiom words in 10,000`, () => {
    const { words, places, perTenThousand } = countIdiom(prose);
    expect(words).toBeGreaterThan(100_000);
    expect(
      perTenThousand,
      `${places.length} idiom words in ${words}, such as\n${places.slice(0, 40).join('\n')}`,
    ).toBeLessThanOrEqual(MAX_PER_10_000);
  });

  test(`the tree has at most ${MAX_RELATIVE_PER_10_000} sentences in 10,000 words that begin with a relative clause`, () => {
    const { places, perTenThousand } = countRelativeClauses(prose);
    expect(perTenThousand, `${places.length} such sentences:\n${places.join('\n')}`).toBeLessThanOrEqual(
      MAX_RELATIVE_PER_10_000,
    );
  });

  test('decision pages have factual titles and file names', () => {
    const unclear = tree
      .filter(({ path }) => /^docs\/decisions\/\d/.test(path))
      .flatMap(({ path, text }) => {
        const title = /^# \d+\. (.*)$/m.exec(text)?.[1] ?? '';
        const name = /\/\d+-(.*)\.md$/.exec(path)?.[1] ?? '';
        return [title, name.replaceAll('-', ' ')]
          .filter((words) => !isFactual(words))
          .map((words) => `${path}: ${words}`);
      });
    expect(unclear).toEqual([]);
  });
});

describe('the count', () => {
  const placesIn = (path: string, text: string): readonly string[] => countIdiom(proseOf({ path, text })).places;

  test('finds idiom words in comments, pages, test titles and reasons, with their lines', () => {
    expect(placesIn('server/src/a.ts', 'run();\n// Nobody hears\nrun();\n/**\n * what it tells\n */')).toEqual([
      'server/src/a.ts:2 Nobody',
      'server/src/a.ts:2 hears',
      'server/src/a.ts:5 tells',
    ]);
    expect(placesIn('docs/a.md', '# A\n\nWhoever stands here')).toEqual(['docs/a.md:3 Whoever', 'docs/a.md:3 stands']);
    expect(placesIn('server/migrations/1.sql', '-- told\nselect 1;')).toEqual(['server/migrations/1.sql:1 told']);
    expect(placesIn('tests/a.test.ts', "test.each(all)('is told, %s', run);")).toEqual(['tests/a.test.ts:1 told']);
    expect(placesIn('tests/a.test.ts', "describe('one', () => test(`tell`, run));")).toEqual([
      'tests/a.test.ts:1 tell',
    ]);
    expect(placesIn('tests/a.ts', "const part = { why: 'heard' };")).toEqual(['tests/a.ts:1 heard']);
    expect(placesIn('docs/openapi.json', '{ "description": "somebody", "enum": ["told"] }')).toHaveLength(1);
    expect(placesIn('a.yml', 'a: b # whatever')).toEqual(['a.yml:1 whatever']);
  });

  test('ignores code', () => {
    expect(placesIn('server/src/a.ts', "tell('nobody'); // calls `tell`")).toEqual([]);
    expect(placesIn('docs/a.md', 'calls `tell()`\n\n```\ntold\n```\n')).toEqual([]);
    expect(placesIn('docs/a.md', 'the stand-in of the host')).toEqual([]);
  });

  test('finds sentences that begin with a relative clause, and no questions', () => {
    const clauses = (path: string, text: string) => countRelativeClauses(proseOf({ path, text })).places;
    expect(clauses('server/src/a.ts', '/** What is refused stays. Where mails go. */')).toEqual([
      'server/src/a.ts:1 Where mails go',
    ]);
    expect(clauses('server/src/a.ts', '/**\n * Reads a row.\n * Who reads it needs a key.\n */')).toHaveLength(1);
    expect(clauses('docs/a.md', '# A\n\nReads it. Where a host fails, it ends.')).toEqual([
      'docs/a.md:3 Where a host fails, it ends',
    ]);
    expect(clauses('docs/a.md', 'Reads. Where do mails go? Which one?')).toEqual([]);
  });

  test('is a rate', () => {
    expect(countIdiom([{ path: 'a', line: 1, text: 'one told two three' }]).perTenThousand).toBe(2_500);
    expect(countIdiom([]).perTenThousand).toBe(0);
  });

  test('a title that is a relative clause or a riddle is no factual title', () => {
    const unclear = [
      'What a phone has no use for',
      'Who is sent away is told when',
      'A failure is told',
      'Nobody knows',
    ];
    expect(unclear.filter(isFactual)).toEqual([]);
    expect(['Retention: deletion only after replication', 'Whole files'].filter(isFactual)).toHaveLength(2);
  });
});
