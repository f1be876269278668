/**
 * The statements of an SQL script. A distributed PostgreSQL takes one at a time. Semicolons within quotes, dollar quotes and
 * comments separate nothing; comments in front of a statement stay with it.
 */
export function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let from = 0;
  for (const { 0: part, index } of script.matchAll(parts)) {
    if (part !== ';') continue;
    statements.push(script.slice(from, index));
    from = index + 1;
  }
  return [...statements, script.slice(from)].map((text) => text.trim()).filter(isStatement);
}

/** Comments, texts, names and dollar quotes, which may contain a semicolon; and a semicolon between statements. */
const parts =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|(?<!\w)[eE]'(?:\\.|''|[^'\\])*'|'(?:''|[^'])*'|"(?:""|[^"])*"|;/g;

const comments = /--[^\n]*|\/\*[\s\S]*?\*\//g;
const isStatement = (text: string): boolean => text.replaceAll(comments, '').trim() !== '';
