import { isBuiltin } from 'node:module';
import { commonTypes, partOf } from './directions.ts';
import { browserDoors, libraries } from './libraries.ts';
import { importsOf, isTypeScript, lineAt, packageOf, resolveImport } from './source-file.ts';
import type { Finding, Import, Rule, SourceFile } from './source-file.ts';

const isTest = (path: string): boolean => path.startsWith('tests/');

function findAt(file: SourceFile, offset: number, message: string): Finding {
  return { path: file.path, line: lineAt(file.text, offset), message };
}

function wrongWay(file: SourceFile, found: Import): Finding[] {
  const part = partOf(file.path);
  const target = resolveImport(file.path, found.specifier);
  if (!part || target === undefined || target.startsWith(part.path)) return [];
  const types = [...(part.usesTypes ?? []), ...commonTypes];
  const allowed = found.typesOnly ? [...part.uses, ...types] : part.uses;
  if (allowed.some((prefix) => target.startsWith(prefix))) return [];
  const onlyTypes = types.some((prefix) => target.startsWith(prefix)) ? ' (as a type it may)' : '';
  return [findAt(file, found.offset, `${part.path} may not import ${target}${onlyTypes}: ${part.why}`)];
}

function wrongLibrary(file: SourceFile, found: Import): Finding[] {
  if (isTest(file.path) || found.specifier.startsWith('.')) return [];
  const name = packageOf(found.specifier);
  const homes = libraries[name];
  if (!homes || homes.some((home) => file.path.startsWith(home))) return [];
  return [findAt(file, found.offset, `${name} belongs to ${homes.join(', ')}`)];
}

/** Imports follow `directions.ts`; every source file belongs to one of its parts. */
export const direction: Rule = {
  name: 'imports follow directions.ts',
  check: (file) => {
    if (!isTypeScript(file.path) || !file.path.includes('/')) return [];
    if (!partOf(file.path) && file.path.includes('/src/'))
      return [findAt(file, 0, 'belongs to no part: add it to tests/house/directions.ts')];
    return importsOf(file).flatMap((found) => [...wrongWay(file, found), ...wrongLibrary(file, found)]);
  },
};

/** Every file that an import chain reaches from an entry point, with the chain for the message. */
function reachableFrom(
  door: string,
  tree: ReadonlyMap<string, SourceFile>,
  follows: (found: Import) => boolean,
): Map<string, string[]> {
  const reached = new Map([[door, [door]]]);
  for (const [path, chain] of reached) {
    const file = tree.get(path);
    if (!file) continue;
    for (const found of importsOf(file).filter(follows)) {
      const target = resolveImport(path, found.specifier);
      if (target !== undefined && !reached.has(target)) reached.set(target, [...chain, target]);
    }
  }
  return reached;
}

/** Two files that import each other were split in the wrong place. Types count: a reader needs both files as well. */
export const circles: Rule = {
  name: 'imports go in no circle',
  check: (file, tree) => {
    if (!/^[a-z-]+\/src\/.*\.tsx?$/.test(file.path)) return [];
    const near = (found: Import): boolean => found.specifier.startsWith('.');
    return importsOf(file)
      .filter(near)
      .flatMap((found) => {
        const target = resolveImport(file.path, found.specifier) ?? '';
        const back = reachableFrom(target, tree, near).get(file.path);
        return back ? [findAt(file, found.offset, `imports itself: ${back.join(' → ')}`)] : [];
      });
  },
};

const isLoaded = (found: Import): boolean => !found.typesOnly;

/** The code of a phone contains no Node: one `node:fs` three imports deep breaks every bundler. */
export const browserSafe: Rule = {
  name: 'what browsers load reaches no Node built-in',
  check: (file, tree) => {
    if (!browserDoors.includes(file.path)) return [];
    return [...reachableFrom(file.path, tree, isLoaded)].flatMap(([path, chain]) => {
      const reached = tree.get(path);
      if (!reached) return [];
      return importsOf(reached)
        .filter((found) => isLoaded(found) && isBuiltin(found.specifier))
        .map((found) => findAt(reached, found.offset, `imports ${found.specifier}; reached by ${chain.join(' → ')}`));
    });
  },
};
