import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// The simulator checks the product against a model. A model that uses the product's own code would believe its mistakes.

const folder = new URL('../simulate/', import.meta.url);

/** Files that run the real program: processes, host, storage. They may import the server. */
const program = [
  'cli.ts',
  'closing-sweep.ts',
  'database-copy.ts',
  'depot.ts',
  'driver.ts',
  'faulty-host.ts',
  'importer.ts',
  'killable-database.ts',
  'log-writer.ts',
  'machine.ts',
  'mail-pass.ts',
  'office.ts',
  'rest-node.ts',
  'restorer.ts',
  'row-pass.ts',
  'server-node.ts',
  'shifts.ts',
  'worker.ts',
];

interface Import {
  readonly file: string;
  readonly from: string;
  readonly isType: boolean;
}

const imports = globSync('**/*.ts', { cwd: folder }).flatMap((file): Import[] =>
  Array.from(
    readFileSync(new URL(file, folder), 'utf8').matchAll(
      /(?:import|export) (type )?[^;]*?from '([^']+)'|import\('([^']+)'\)/g,
    ),
    ([, type, from, dynamic]) => ({ file, from: from ?? dynamic ?? '', isType: type !== undefined }),
  ),
);

test('the model of the simulator imports no code of the product', () => {
  const ofModel = imports.filter(({ file }) => file.startsWith('model/'));
  expect(ofModel.length).toBeGreaterThan(10);
  const foreign = ofModel.filter(
    ({ from, isType }) =>
      !from.startsWith('node:') && !/^\.\/[\w-]+\.ts$/.test(from) && !(isType && from === '@tailgate/client-sdk'),
  );
  expect(foreign).toEqual([]);
});

test('only the files of the simulator that run the program import the server', () => {
  const users = imports.filter(({ from }) => from.includes('server/src/')).map(({ file }) => file);
  expect([...new Set(users)].toSorted()).toEqual(program);
});
