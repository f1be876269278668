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
function brokenLinks(page: SourceFile, tree: ReadonlyMap<string, SourceFile>): string[] {
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
  const broken = pages.flatMap((page) => brokenLinks(page, tree).map((link) => `${page.path}: ${link}`));
  expect(pages.length).toBeGreaterThan(2);
  expect(broken).toEqual([]);
});

test('the check finds a broken link and a broken anchor', () => {
  const page = { path: 'docs/page.md', text: '# One\n[a](missing.md) [b](#two) [c](#one) [d](https://example.org)' };
  expect(brokenLinks(page, new Map([[page.path, page]]))).toEqual(['missing.md', '#two']);
});

/** Names of source files in a page that no file of the tree has. */
function missingFiles(page: SourceFile, paths: readonly string[]): string[] {
  const names = [...page.text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name);
  return names.filter((name) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)));
}

test('every source file that the architecture names exists', () => {
  const tree = readTree();
  const page = tree.get('docs/architecture.md') ?? { path: '', text: '`absent.ts`' };
  expect(missingFiles(page, [...tree.keys()])).toEqual([]);
});

test('the check finds a file that has another name now', () => {
  const page = { path: 'docs/page.md', text: '`apply/fold.ts` and `old.ts`' };
  expect(missingFiles(page, ['server/src/mutations/apply/fold.ts', 'server/src/threshold.ts'])).toEqual(['old.ts']);
});
