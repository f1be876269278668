import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, type Program } from 'oxc-parser';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A file of the tree as the house rules read it. */
export type SourceFile = {
  /** Relative to the root, with forward slashes. */
  path: string;
  text: string;
};

export type Finding = { path: string; line: number; message: string };

export type Rule = {
  name: string;
  /** Checks one file; `tree` is every path of the tree, for rules that follow imports. */
  check: (file: SourceFile, tree: ReadonlyMap<string, SourceFile>) => Finding[];
};

export type Import = { specifier: string; typesOnly: boolean; offset: number };

export const isTypeScript = (path: string): boolean => /\.tsx?$/.test(path);

/** Files of the project, committed or not; ignored and third-party files stay out. */
export function readTree(): Map<string, SourceFile> {
  const thirdParty = ['node_modules', '.git', 'dist', '.data', 'coverage'];
  const paths = globSync('**/*.{ts,tsx,mjs,js,sql,md,json,yml,yaml,sh,conf,html}', {
    cwd: root,
    exclude: (path) => thirdParty.includes(path.split('/').at(-1) ?? '') || path.endsWith('bench/results'),
  });
  const dotted = globSync(
    ['.ci/*', '.github/**/*.{md,yml}', '.*rc', 'server/deploy/{Dockerfile*,*.*}', '.editorconfig'],
    {
      cwd: root,
    },
  );
  const files = [...new Set([...paths, ...dotted])].sort().map((path) => ({ path, text: readText(path) }));
  return new Map(files.map((file) => [file.path, file]));
}

export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

export const lineAt = (text: string, offset: number): number => linesOf(text)(offset);

/** The line of each offset, from 1. It reads the text once, where a text has many places. */
export function linesOf(text: string): (offset: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) ends.push(at);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? Infinity) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

const imports = new WeakMap<SourceFile, Import[]>();

/** Every import and re-export of a file, types included: a slice that names an edge's type depends on the edge. */
export function importsOf(file: SourceFile): Import[] {
  const found = imports.get(file) ?? readImports(file);
  imports.set(file, found);
  return found;
}

function readImports(file: SourceFile): Import[] {
  const { module } = parseSync(file.path, file.text);
  const statics = module.staticImports.map((found) => ({
    specifier: found.moduleRequest.value,
    typesOnly: found.entries.length > 0 && found.entries.every((entry) => entry.isType),
    offset: found.start,
  }));
  const reexports = module.staticExports.flatMap((found) =>
    found.entries.flatMap((entry) =>
      entry.moduleRequest
        ? [{ specifier: entry.moduleRequest.value, typesOnly: entry.isType, offset: found.start }]
        : [],
    ),
  );
  const dynamics = module.dynamicImports.map((found) => ({
    specifier: file.text.slice(found.moduleRequest.start, found.moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
    typesOnly: false,
    offset: found.start,
  }));
  return [...statics, ...reexports, ...dynamics];
}

const programs = new WeakMap<SourceFile, Program>();

/** Several rules read the program of each file. */
export function programOf(file: SourceFile): Program {
  const program = programs.get(file) ?? parseSync(file.path, file.text).program;
  programs.set(file, program);
  return program;
}

/** The file a relative or workspace import reaches; undefined for libraries and built-ins. */
export function resolveImport(from: string, specifier: string): string | undefined {
  const workspace = /^@tailgate\/([a-z-]+)(?:\/(.+))?$/.exec(specifier);
  if (workspace) return workspace[2] ? `${workspace[1]}/src/${workspace[2]}/` : `${workspace[1]}/src/index.ts`;
  if (!specifier.startsWith('.')) return undefined;
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}

/** `@scope/name/deep` → `@scope/name`. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The findings of a rule in a tree, one line each. */
export function findings(rule: Rule, tree: ReadonlyMap<string, SourceFile>): string[] {
  const say = ({ path, line, message }: Finding): string => `${path}:${line} ${message}`;
  return [...tree.values()].flatMap((file) => rule.check(file, tree)).map(say);
}
