import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Statement } from 'oxc-parser';
import { parseSync } from 'oxc-parser';

/** One name that a package's entry exports. */
export interface Exported {
  readonly name: string;
  /** Its declaration as the type checker of an app reads it, with its comment. */
  readonly text: string;
  readonly hasDoc: boolean;
}

/** A declaration that other declarations name. */
export interface Named {
  readonly name: string;
  readonly text: string;
}

interface Declared {
  readonly file: string;
  readonly name: string;
}

/** The exports of an entry, by name: each export is followed to the file that declares it. @param entry a `.d.ts` file */
export function exportsOf(entry: string): Exported[] {
  return [...exportedNames(entry)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { file, name: local }]) => ({ name, ...declaration(file, local) }));
}

/**
 * All names that the exports of an entry refer to, directly or indirectly, as far as the packages declare them.
 * @param printed names that the report declares elsewhere; this adds its own
 * @param unknown collects names that the packages do not declare: the platform's, and parameters of types
 */
export function namedBy(entry: string, printed: Set<string>, unknown: Set<string>): Named[] {
  const open = [...exportedNames(entry).values()];
  const found: Named[] = [];
  for (const { file, name } of open) printed.add(`${file} ${name}`);
  for (let next = open.shift(); next; next = open.shift()) {
    for (const name of namesIn(shown(next))) {
      const declared = resolveName(next.file, name);
      const key = declared && `${declared.file} ${declared.name}`;
      if (!declared) unknown.add(name);
      if (!declared || !key || printed.has(key)) continue;
      printed.add(key);
      open.push(declared);
      found.push({ name: declared.name, text: shown(declared) });
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A declaration without the parts that only its own module may use. */
const shown = ({ file, name }: Declared): string =>
  declaration(file, name)
    .text.replace(/ *(?:\/\*\*(?:(?!\*\/)[^])*\*\/\s*)?constructor\([^)]*\);\n/g, '')
    .replace(/ *#private;\n/g, '');

/** Types, and values whose type is named. */
function namesIn(text: string): string[] {
  const code = text.replace(/\/\*[^]*?\*\//g, '').replace(/'[^'\n]*'|"[^"\n]*"/g, '');
  const types = code.match(/(?<![\w.])[A-Z]\w*/g) ?? [];
  return [...types, ...Array.from(code.matchAll(/typeof (\w+)/g), ([, name = '']) => name)];
}

/** The place that declares a name of a file; undefined outside the packages. */
function resolveName(file: string, name: string): Declared | undefined {
  const { statements } = parse(file);
  if (statements.some((statement) => declaredNames(statement).includes(name))) return { file, name };
  for (const statement of statements) {
    if (statement.type !== 'ImportDeclaration') continue;
    const specifier = statement.specifiers.find(({ local }) => local.name === name);
    if (specifier?.type !== 'ImportSpecifier') continue;
    const source = sourceOf(file, statement.source.value);
    return source === undefined ? undefined : exportedNames(source).get(nameOf(specifier.imported));
  }
  return undefined;
}

/** The place that declares each exported name. */
function exportedNames(file: string): Map<string, Declared> {
  const names = new Map<string, Declared>();
  const neighbour = (from: string, specifier: string): string => {
    const source = sourceOf(from, specifier);
    if (source === undefined) throw new Error(`${from} exports from ${specifier}, which is not ours`);
    return source;
  };
  for (const statement of parse(file).statements) {
    if (statement.type === 'ExportAllDeclaration') {
      for (const [name, declared] of exportedNames(neighbour(file, statement.source.value))) names.set(name, declared);
    } else if (statement.type === 'ExportNamedDeclaration') {
      const { source } = statement;
      for (const { local, exported } of statement.specifiers) {
        const [from, to] = [nameOf(local), nameOf(exported)];
        const declared = source && exportedNames(neighbour(file, source.value)).get(from);
        names.set(to, declared ?? { file, name: from });
      }
      for (const name of declaredNames(statement)) names.set(name, { file, name });
    }
  }
  return names;
}

function declaration(file: string, name: string): Omit<Exported, 'name'> {
  const { text, statements } = parse(file);
  const found = statements.filter((statement) => declaredNames(statement).includes(name));
  const blocks = found.map(({ start, end }) => ({ doc: docBefore(text, start), code: text.slice(start, end) }));
  return {
    text: blocks.map(({ doc, code }) => doc + code).join('\n'),
    hasDoc: blocks.some(({ doc }) => doc !== ''),
  };
}

/** The doc comment that ends where a declaration starts. */
function docBefore(text: string, start: number): string {
  return /\/\*\*(?:(?!\*\/)[^])*\*\/\n$/.exec(text.slice(0, start))?.[0] ?? '';
}

function declaredNames(statement: Statement): string[] {
  const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  switch (declared?.type) {
    case 'VariableDeclaration':
      return declared.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
    case 'ClassDeclaration':
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return declared.id ? [declared.id.name] : [];
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return [declared.id.name];
    default:
      return [];
  }
}

interface Source {
  readonly text: string;
  readonly statements: readonly Statement[];
}

/** Searches each declaration once for every name. */
const sources = new Map<string, Source>();

function parse(file: string): Source {
  const known = sources.get(file) ?? read(file);
  sources.set(file, known);
  return known;
}

function read(file: string): Source {
  const text = readFileSync(file, 'utf8');
  return { text, statements: parseSync(file, text).program.body.filter((each) => 'type' in each && isStatement(each)) };
}

const isStatement = (each: { type: string }): each is Statement => each.type !== 'Directive';

const nameOf = (name: { type: string; name?: string; value?: string }): string => name.name ?? name.value ?? '';

const protocol = fileURLToPath(new URL('../../sync-protocol/dist/', import.meta.url));

/**
 * Declarations name each other by their sources: `./client.ts` is `client.d.ts` beside them. Undefined outside the
 * packages.
 */
function sourceOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(file), specifier.replace(/\.(ts|js)$/, '.d.ts'));
  if (specifier === '@tailgate/sync-protocol') return join(protocol, 'index.d.ts');
  return specifier === '#canonical-json' ? join(protocol, 'wire/canonical-json.d.ts') : undefined;
}
