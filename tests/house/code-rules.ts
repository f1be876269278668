import { Visitor } from 'oxc-parser';
import type { Expression, Node } from 'oxc-parser';
import { importsOf, isTypeScript, lineAt, programOf } from './source-file.ts';
import type { Finding, Rule, SourceFile } from './source-file.ts';

const nameOf = (node: Node): string | undefined => (node.type === 'Identifier' ? node.name : undefined);

function finding(file: SourceFile, node: { start: number }, message: string): Finding {
  return { path: file.path, line: lineAt(file.text, node.start), message };
}

/**
 * config.ts is the sole reader of the environment; it parses and names each setting. A variable read elsewhere stays
 * undocumented.
 */
export const environment: Rule = {
  name: 'only config.ts reads the environment',
  check: (file) => {
    if (!/^(server\/(src|bin)|client-sdk\/src|sync-protocol\/src)\/.*\.tsx?$/.test(file.path)) return [];
    if (file.path === 'server/src/config.ts') return [];
    const found: Finding[] = [];
    // Programs pass the environment on whole: to `loadConfig` or the witness' own settings, and npm's own marks to `endWithNpm`.
    const handed = new Set<number>();
    // A variable that the program sets itself, for a library that it loads next, is no setting.
    const written = new Set<number>();
    new Visitor({
      CallExpression: (node) => {
        if (['loadConfig', 'readWitnessSettings', 'endWithNpm'].includes(nameOf(node.callee) ?? ''))
          for (const argument of node.arguments) handed.add(argument.start);
      },
      AssignmentExpression: ({ left }) => {
        if (left.type === 'MemberExpression') written.add(left.object.start);
      },
      MemberExpression: (node) => {
        const reads = nameOf(node.object) === 'process' && nameOf(node.property) === 'env';
        if (reads && !handed.has(node.start) && !written.has(node.start))
          found.push(finding(file, node, 'reads process.env: take it from config.ts'));
      },
    }).visit(programOf(file));
    return found;
  },
};

/** `new Promise((resolve) => setTimeout(resolve, n))` guesses how long something takes. */
function isSleep(call: Expression, resolvers: ReadonlySet<string>): boolean {
  if (call.type !== 'CallExpression' || nameOf(call.callee) !== 'setTimeout') return false;
  const first = call.arguments[0];
  return first !== undefined && resolvers.has(nameOf(first) ?? '');
}

export const sleeps: Rule = {
  name: 'tests wait for events, not for time',
  check: (file) => {
    // A bench sets the pace of its drivers: time is its subject.
    if (!file.path.startsWith('tests/') || file.path.startsWith('tests/bench/') || !isTypeScript(file.path)) return [];
    const found: Finding[] = importsOf(file)
      .filter((each) => each.specifier === 'node:timers/promises')
      .map((each) => finding(file, { start: each.offset }, 'sleeps: wait for the event instead'));
    const resolvers = new Set<string>();
    new Visitor({
      NewExpression: (node) => {
        const executor = nameOf(node.callee) === 'Promise' ? node.arguments[0] : undefined;
        if (executor?.type !== 'ArrowFunctionExpression' && executor?.type !== 'FunctionExpression') return;
        const resolve = executor.params[0];
        if (resolve?.type === 'Identifier') resolvers.add(resolve.name);
      },
      CallExpression: (node) => {
        if (isSleep(node, resolvers)) found.push(finding(file, node, 'sleeps: wait for the event instead'));
      },
    }).visit(programOf(file));
    return found;
  },
};

/** A test that does not run cannot fail. */
export const skipped: Rule = {
  name: 'every test runs',
  check: (file) => {
    if (!file.path.startsWith('tests/') || !isTypeScript(file.path)) return [];
    const found: Finding[] = [];
    new Visitor({
      MemberExpression: (node) => {
        const [suite, how] = [nameOf(node.object) ?? '', nameOf(node.property) ?? ''];
        if (/^(test|it|describe|suite|bench)$/.test(suite) && /^(skip|only|todo|skipIf|runIf|fails)$/.test(how))
          found.push(finding(file, node, `${suite}.${how}: a test that does not run cannot fail`));
      },
    }).visit(programOf(file));
    return found;
  },
};
