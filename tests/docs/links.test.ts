import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readTree, root } from '../house/source-file.ts';
import type { SourceFile } from '../house/source-file.ts';

const withoutCode = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]*`/g, '');

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (page: SourceFile | undefined): string[] =>
  [...withoutCode(page?.text ?? '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Links of a page without a target in the tree. */
function deadLinks(page: SourceFile, tree: ReadonlyMap<string, SourceFile>): string[] {
  const links = [...withoutCode(page.text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page.path : join(dirname(page.path), path);
    if (!tree.has(target) && !existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(tree.get(target)).includes(anchor);
  });
}

test('every link between documents has a target', () => {
  const tree = readTree();
  const pages = [...tree.values()].filter(({ path }) => path.endsWith('.md'));
  const dead = pages.flatMap((page) => deadLinks(page, tree).map((link) => `${page.path}: ${link}`));
  expect(pages.length).toBeGreaterThan(2);
  expect(dead).toEqual([]);
});

test('the check finds a dead link and a dead anchor', () => {
  const page = { path: 'docs/page.md', text: '# One\n[a](missing.md) [b](#two) [c](#one) [d](https://example.org)' };
  expect(deadLinks(page, new Map([[page.path, page]]))).toEqual(['missing.md', '#two']);
});
