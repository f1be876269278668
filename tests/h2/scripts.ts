import { additionsSince } from '../../server/src/host/files/layout.ts';

/** The statements of a script for the host that H2 can run, and those of Db2 alone. */
export function statementsIn(script: string, dialect: 'db2' | 'db2i'): { run: string[]; left: string[] } {
  const all = unwrapped(script)
    .replaceAll(/^--.*$/gm, '')
    .split(dialect === 'db2' ? '@\n' : /;\n(?!\s*end)/)
    .map((statement) => statement.trim().replace(/;$/, ''))
    .filter((statement) => statement !== '');
  const isOfDb2 = (statement: string): boolean =>
    // Bodies of triggers, labels of many columns, and grants of columns are no part of H2’s grammar.
    /^(create or replace trigger|label on|comment on \w+\.|grant|insert into \w+\.PODCHGP|call QSYS2|end if|if |end$)/.test(
      statement,
    );
  return { run: all.filter((statement) => !isOfDb2(statement)).flatMap(columnByColumn), left: all.filter(isOfDb2) };
}

/** Statements that go on where their object exists, as they are inside. */
const unwrapped = (script: string): string =>
  script.replaceAll(
    /^begin\n {2}declare continue handler for sqlstate '\w+' begin end;\n {2}execute immediate '((?:[^']|'')*)';\nend/gm,
    (_, inner: string) => inner.trim().replaceAll("''", "'"),
  );

/** H2 adds one column a statement. */
function columnByColumn(statement: string): string[] {
  const [table = '', ...columns] = withoutDb2(statement).split(/\n {2}(?=add column )/);
  return columns.length === 0 ? [table] : columns.map((column) => `${table} ${column}`);
}

/** Without the clauses that only Db2 has. */
export const withoutDb2 = (statement: string): string =>
  statement.replaceAll(
    / ccsid \d+| rcdfmt \w+| use currently committed| skip locked data| generated always for each row on update as row change timestamp/g,
    '',
  );

/** The files as a library of layout 1 has them, from the statements for the present one. */
export function layout1Of(statements: readonly string[]): string[] {
  const since = additionsSince(1);
  const columns = new Set(since.flatMap(({ columns: added = [] }) => added));
  const isLater = (statement: string): boolean =>
    /^(create sequence|insert into) /.test(statement) ||
    since.some(
      ({ file, columns: added, hasNewPaths }) =>
        (added === undefined && new RegExp(`^(?:create|comment on) table \\w+\\.${file} `).test(statement)) ||
        (hasNewPaths && new RegExp(`^create index \\w+\\.${file}X\\d`).test(statement)),
    );
  return statements
    .filter((statement) => !isLater(statement))
    .map((statement) => {
      const lines = statement.split('\n').filter((line) => !columns.has(/^ {2}(\w+) /.exec(line)?.[1] ?? ''));
      return lines.join('\n').replace(/,\n\)/, '\n)');
    });
}
