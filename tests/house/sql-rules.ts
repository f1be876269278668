import { Visitor } from 'oxc-parser';
import type { TemplateLiteral } from 'oxc-parser';
import { isTypeScript, lineAt, programOf } from './source-file.ts';
import type { Finding, Rule, SourceFile } from './source-file.ts';

type Statement = { text: string; offset: number; template?: TemplateLiteral };

/** The beginnings of statements; prose such as "update the stop" does not match. */
const opening =
  /^\s*(select\s[\s\S]*\sfrom\s|select\s+[\w.]+\(|insert\s+into\s|update\s+[\w."${}]+\s[\s\S]*\bset\s|delete\s+from\s|merge\s+into\s|with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s|(create|alter|drop)\s+(table|schema|index|function|trigger|role|database)\s|truncate\s|lock\s+table\s)/i;

const keyword = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM|WHERE|VALUES|ORDER BY|GROUP BY|RETURNING|ON CONFLICT)\b/;

/** The database and host folders build statements from definitions; migrations and tests may contain any SQL. */
const exceptFolders = /^(server\/src\/(db|embedded-postgres|host)\/|server\/migrations\/|tests\/)/;
const statementFiles = /(^|[/-])(sql|queries)\.ts$/;

function statementsOf(file: SourceFile): Statement[] {
  const found: Statement[] = [];
  const visitor = new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string' && opening.test(node.value))
        found.push({ text: node.value, offset: node.start });
    },
    TemplateLiteral: (node) => {
      const text = node.quasis.map((quasi) => quasi.value.raw).join('${}');
      if (opening.test(text)) found.push({ text, offset: node.start, template: node });
    },
  });
  visitor.visit(programOf(file));
  return found;
}

/** Names fixed when the module loads: imports and top-level constants. None of them can be a caller's value. */
function fixedNames(file: SourceFile): Set<string> {
  const names = new Set<string>();
  for (const node of programOf(file).body) {
    const inner = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    if (inner?.type === 'VariableDeclaration' && inner.kind === 'const')
      for (const { id } of inner.declarations) if (id.type === 'Identifier') names.add(id.name);
    if (node.type === 'ImportDeclaration') for (const { local } of node.specifiers) names.add(local.name);
  }
  return names;
}

function splices(file: SourceFile, statement: Statement): Finding[] {
  const fixed = fixedNames(file);
  return (statement.template?.expressions ?? [])
    .filter((node) => {
      const from = node.type === 'MemberExpression' && !node.computed ? node.object : node;
      return from.type !== 'Identifier' || !fixed.has(from.name);
    })
    .map((node) => ({
      path: file.path,
      line: lineAt(file.text, node.start),
      message: `splices \`${file.text.slice(node.start, node.end)}\` into a statement: values are parameters, fragments are constants of the module`,
    }));
}

export const sqlPlace: Rule = {
  name: 'SQL is in sql.ts and queries.ts, lower case, with parameters only',
  check: (file) => {
    if (!isTypeScript(file.path) || exceptFolders.test(file.path)) return [];
    return statementsOf(file).flatMap((statement) => {
      const line = lineAt(file.text, statement.offset);
      const place = statementFiles.test(file.path)
        ? []
        : [
            {
              path: file.path,
              line,
              message: 'a statement outside sql.ts, queries.ts, db/, embedded-postgres/ and host/',
            },
          ];
      const upperCase = keyword.exec(statement.text);
      const faults = upperCase ? [{ path: file.path, line, message: `SQL is lower case, not ${upperCase[0]}` }] : [];
      return [...place, ...faults, ...splices(file, statement)];
    });
  },
};

/** Tests of the office console in a browser, and what they share. */
const consoleFiles =
  /^tests\/pages\/(office-[a-z-]+(\.check)?|desk|hostile-data|many-routes|refusing-host|second-operator)\.ts$/;
const ownWrite = /\b(insert\s+into|delete\s+from|truncate|alter\s+table)\s+(?!poddta\.)|^\s*update\s+(?!poddta\.)/i;

/** A trouble that a test writes itself may be one that the product never has. */
export const consoleTables: Rule = {
  name: 'tests of the console write tables of the host alone, as its own programs do',
  check: (file) =>
    consoleFiles.test(file.path)
      ? statementsOf(file)
          .filter(({ text }) => ownWrite.test(text))
          .map(({ offset }) => ({
            path: file.path,
            line: lineAt(file.text, offset),
            message: 'writes a table of the service: let the product write it',
          }))
      : [],
};
