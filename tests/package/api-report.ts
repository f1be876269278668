import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Statement } from 'oxc-parser';
import { parseSync } from 'oxc-parser';

/** One name that a package's entry exports. */
export interface Exported {
  readonly name: string;
  /** Its declaration as the type checker of an app reads it, with its comment. */
  readonly text: string;
  readonly hasDoc: boolean;
}

interface Declared {
  readonly file: string;
  readonly name: string;
}

/**
 * What an entry exports, by name: each export is followed to the file that declares it.
 *
 * @param entry a `.d.ts` file
 */
export function exportsOf(entry: string): Exported[] {
  return [...exportedNames(entry)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { file, name: local }]) => ({ name, ...declaration(file, local) }));
}

/** Where each exported name is declared. */
function exportedNames(file: string): Map<string, Declared> {
  const names = new Map<string, Declared>();
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

function parse(file: string): { readonly text: string; readonly statements: readonly Statement[] } {
  const text = readFileSync(file, 'utf8');
  return { text, statements: parseSync(file, text).program.body.filter((each) => 'type' in each && isStatement(each)) };
}

const isStatement = (each: { type: string }): each is Statement => each.type !== 'Directive';

const nameOf = (name: { type: string; name?: string; value?: string }): string => name.name ?? name.value ?? '';

/** Declarations name each other by their sources: `./client.ts` is `client.d.ts` beside them. */
const neighbour = (file: string, specifier: string): string =>
  join(dirname(file), specifier.replace(/\.(ts|js)$/, '.d.ts'));
