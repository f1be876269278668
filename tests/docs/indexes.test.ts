import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readText, root } from '../house/source-file.ts';

/** The pages of a folder, without its own README. */
const pagesOf = (folder: string): string[] =>
  readdirSync(join(root, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');

const headingOf = (path: string): string => /^# (.*)$/m.exec(readText(path))?.[1] ?? '';

test('the index of the decisions has each of them once, by its number and title', () => {
  const links = [...readText('docs/decisions/README.md').matchAll(/^- (\[.*\]\(.*\))$/gm)].map(([, link = '']) => link);
  const pages = pagesOf('docs/decisions').map((name) => ({ name, heading: headingOf(`docs/decisions/${name}`) }));
  expect(new Set(links)).toEqual(new Set(pages.map(({ name, heading }) => `[${heading}](${name})`)));
  expect(links).toHaveLength(pages.length);
  for (const { name, heading } of pages) expect(`${name} ${heading}`).toMatch(/^0*(\d+)-\S+\.md \1\. \S/);
});

test('the index of the documents names every page', () => {
  const links = [...readText('docs/README.md').matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path);
  expect(links).toEqual(expect.arrayContaining(pagesOf('docs')));
});
