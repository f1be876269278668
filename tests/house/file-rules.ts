import { lineAt } from './source-file.ts';
import type { Finding, Rule, SourceFile } from './source-file.ts';

const longest = 400;

/** Names that the platform or convention requires. */
const givenNames =
  /^(README|LICENSE|NOTICE|CHANGELOG|CONTRIBUTING|SECURITY|Dockerfile(\.dockerignore)?|PULL_REQUEST_TEMPLATE|ISSUE_TEMPLATE|\d{4}_[a-z0-9_]+\.sql)(\.md)?$/;
const kebab = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const vague = /^(utils?|helpers?|misc|common|manager|.*-(utils?|helpers?|manager))$/;

export const names: Rule = {
  name: 'names are kebab-case and name a subject',
  check: ({ path }) =>
    path.split('/').flatMap((step) => {
      const message = vague.test(step.replace(/\.[^.]*$/, ''))
        ? `"${step}" is too general: name the subject`
        : !kebab.test(step) && !givenNames.test(step)
          ? `"${step}" is not kebab-case`
          : undefined;
      return message === undefined ? [] : [{ path, line: 1, message }];
    }),
};

export const length: Rule = {
  name: `no file is longer than ${longest} lines`,
  check: ({ path, text }) => {
    const lines = text.trimEnd().split('\n').length;
    const written = /\.(tsx?|mjs|sql)$/.test(path);
    return written && lines > longest ? [{ path, line: longest, message: `${lines} lines: split it by subject` }] : [];
  },
};

function everyMatch(file: SourceFile, pattern: RegExp, message: (match: string) => string): Finding[] {
  return [...file.text.matchAll(pattern)].map((match) => ({
    path: file.path,
    line: lineAt(file.text, match.index),
    message: message(match[0].trim()),
  }));
}

/** A path of one machine works on that machine only. */
export const machinePaths: Rule = {
  name: 'nothing names a path of one machine',
  check: (file) =>
    everyMatch(
      file,
      /(?<![\w.:/-])\/(work|root|home\/\w+|Users\/\w+|tmp\/[\w.-]+)\b(?!\/?:)[\w./-]*/g,
      (match) => `"${match}" is a path of one machine`,
    ),
};

/**
 * The directives that silence the linter and the compiler. The code assembles their names, so that this file does not
 * contain them.
 */
const suppressions = new RegExp(
  ['@ts-(ignore|nocheck|expect-error)', '(ox|es)lint-(disable|enable)', 'prettier-ignore', 'as unknown as'].join('|'),
  'g',
);

export const silence: Rule = {
  name: 'no tool is silenced',
  check: (file) =>
    /\.(tsx?|mjs)$/.test(file.path) && file.path !== 'tests/house/file-rules.ts'
      ? everyMatch(file, suppressions, (match) => `"${match}" silences a tool: mend what it found`)
      : [],
};

/** Windows' cmd has no `exec`, no assignment before a command and no single quotes (decision 66). */
export const portableScripts: Rule = {
  name: 'npm scripts run in every shell',
  check: (file) =>
    file.path.endsWith('package.json')
      ? everyMatch(
          file,
          /"[\w:-]+": "(?:exec |[A-Z_]+=|(?:node|npm|vitest|tsc) [^"]*(?:'|\$\(|; ))[^"]*"/g,
          (match) => `${match} needs a POSIX shell`,
        )
      : [],
};

/** The customer's own page is not in the tree; docs/README.md names the pages with its content. */
const foreignPages = ['interface.md'];

/** Cited program files: of a program in its comments, of a page in backticks. */
const citedPrograms = ({ path, text }: SourceFile): { readonly index: number; readonly cited: string }[] => {
  const places = path.endsWith('.md') ? /`[^`\n]+`/g : /(?<!:)\/\/.*|\/\*[\s\S]*?\*\//g;
  return [...text.matchAll(places)].flatMap(({ index, 0: place }) =>
    [...place.matchAll(/(?<![\w./*{},-])(?:[\w-]+\/)*[a-z][\w-]*\.tsx?\b/g)].map(({ index: within, 0: cited }) => ({
      index: index + within,
      cited,
    })),
  );
};

/** `protocol.md`, `decision 7`, `feed.ts`: a reader follows such references. */
export const citations: Rule = {
  name: 'pages, decisions and files that a file cites are in the tree',
  check: (file, tree) => {
    if (!/\.(tsx?|mjs|sql|md)$/.test(file.path) || /^tests\/(docs|house)\//.test(file.path)) return [];
    const isThere = (cited: string): boolean =>
      [...tree.keys()].some((path) => path === cited || path.endsWith(`/${cited}`));
    const isDecided = (number: string): boolean =>
      [...tree.keys()].some((path) => path.startsWith(`docs/decisions/${number.padStart(4, '0')}-`));
    const pages = file.path.endsWith('.md') ? [] : [...file.text.matchAll(/(?<![\w./-])[\w-]+\.md\b/g)];
    return [
      ...pages
        .filter(([page]) => !foreignPages.includes(page.toLowerCase()) && !isThere(page))
        .map(({ index, 0: page }) => ({ index, message: `"${page}" is not a page of the project` })),
      ...[...file.text.matchAll(/\bdecisions? (\d+)/gi)]
        .filter(([, number = '']) => !isDecided(number))
        .map(({ index, 0: words }) => ({ index, message: `"${words}" does not exist` })),
      ...citedPrograms(file)
        .filter(({ cited }) => !isThere(cited))
        .map(({ index, cited }) => ({ index, message: `"${cited}" is not a file of the project` })),
    ].map(({ index, message }) => ({ path: file.path, line: lineAt(file.text, index), message }));
  },
};
