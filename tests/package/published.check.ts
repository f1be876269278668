import { execFile, execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chainedPack } from '../verify/packs.ts';
import { logged, originOfPacks, provenPack, signer, witness } from '../verify/proven-pack.ts';
import { exportsOf, namedBy } from './api-report.ts';

// The packages as an app gets them: built, packed, installed from the tarballs in an empty folder.

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const packages = ['sync-protocol', 'client-sdk'];
const verifier = 'tailgate-verify';

const manifest = z.object({ exports: z.record(z.string(), z.union([z.string(), z.object({ types: z.string() })])) });
const packed = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }));

let folder: string;
/** The tarball of each package. */
let tarballs: string[];
let verifierTarballs: string[];
const files: string[] = [];

beforeAll(async () => {
  await run('npm', ['run', 'build'], { cwd: root });
  folder = await temporaryFolder();
  const args = [
    'pack',
    '--json',
    '--pack-destination',
    folder,
    ...[...packages, 'server/verify'].flatMap((name) => ['-w', name]),
  ];
  const made = packed.parse(JSON.parse((await run('npm', args, { cwd: root })).stdout));
  files.push(...made.flatMap((tarball) => tarball.files.map(({ path }) => path)));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const [ours = [], theirs = []] = [false, true].map((isVerifier) =>
    made
      .filter(({ filename }) => filename.startsWith(verifier) === isVerifier)
      .map(({ filename }) => join(folder, filename)),
  );
  tarballs = ours;
  verifierTarballs = theirs;
  const offline = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...offline, 'ws@8.23.0', ...tarballs], { cwd: folder });
}, 240_000);

describe('the published packages', () => {
  test('the ten-minute guide works in an empty folder', async () => {
    const guide = await readFile(join(root, 'client-sdk/README.md'), 'utf8');
    const [, code = ''] = /```js first-stop\.mjs\n([^]*?)```/.exec(guide) ?? [];
    await writeFile(join(folder, 'first-stop.mjs'), code);
    const { stdout } = await run(process.execPath, ['first-stop.mjs'], { cwd: folder });
    expect(stdout).toContain('saved\naccepted as version 2\non the host\n');
  });

  test('a browser’s bundle of them contains no Node built-in and no zod', async () => {
    const { metafile, outputFiles } = await build({
      stdin: { contents: `export * from '@tailgate/client-sdk';`, resolveDir: folder },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      write: false,
    });
    expect(outputFiles).toHaveLength(1);
    expect(Object.keys(metafile.inputs).filter((path) => path.includes('node_modules/zod/'))).toEqual([]);
  });

  test('an app that checks its types finds all of them', async () => {
    await writeFile(
      join(folder, 'app.ts'),
      `import type { Client, LocalStop } from '@tailgate/client-sdk';
       export const done = (client: Client): number => client.route().current?.stops.filter(isDone).length ?? 0;
       const isDone = (stop: LocalStop): boolean => stop.updates.status !== 'P';
       export const wrong = (client: Client): string => client.status.current.pending; // must not pass`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', '', 'app.ts'];
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { stdout } = await run(tsc, options, { cwd: folder }).catch((error: unknown) => failure.parse(error));
    expect(stdout.trim().split('\n')).toEqual([expect.stringContaining('app.ts(4,')]);
  });

  test('contain sources, their build output and text only', () => {
    const strays = files.filter((path) => !/^(dist|src)\/|^(package\.json|README\.md|api\.md|LICENSE)$/.test(path));
    expect(strays).toEqual([]);
  });

  test.each(packages)('%s: publint and “are the types wrong” find nothing', async (name) => {
    const tarball = tarballs.filter((path) => path.includes(name));
    expect(tarball).toHaveLength(1);
    const bin = (program: string): string => join(root, 'node_modules/.bin', program);
    await expect(run(bin('publint'), ['--strict', ...tarball])).resolves.toBeDefined();
    await expect(run(bin('attw'), [...tarball, '--profile', 'esm-only'])).resolves.toBeDefined();
  });
});

/** The Node of the tests, and the one that runs npm: the system's, which is 20 on some machines. */
const nodes = new Map(
  [process.execPath, process.env['npm_node_execpath'] ?? process.execPath].map((path) => [
    execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(),
    path,
  ]),
);

describe.each([...nodes])('tailgate-verify under Node %s', (_version, node) => {
  test('runs from its tarball in an empty folder, without a registry', async () => {
    const elsewhere = await temporaryFolder();
    await writeFile(join(elsewhere, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...verifierTarballs], { cwd: elsewhere });
    expect(await readdir(join(elsewhere, 'node_modules'))).toEqual(['.bin', '.package-lock.json', verifier]);
    const pack = await chainedPack();
    await writeFile(join(elsewhere, 'evidence.zip'), pack);
    pack[pack.length - 100] = 0xff;
    await writeFile(join(elsewhere, 'changed.zip'), pack);
    const verify = (...args: string[]) =>
      run(node, [join(elsewhere, 'node_modules/.bin', verifier), ...args], { cwd: elsewhere }).then(
        ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
        (error: unknown) => exited.parse(error),
      );
    const whole = await verify('evidence.zip');
    expect(whole.code).toBe(3);
    expect(whole.stdout).toContain('ok           Changes have the SHA-256 of their text: 3.');
    expect(whole.stdout).toContain('Intact. The signer is unknown');
    const changed = await verify('changed.zip', '--json');
    expect(changed.code).toBe(1);
    expect(JSON.parse(changed.stdout)).toMatchObject({ outcome: 'tampered' });
    expect(await verify('package.json')).toMatchObject({ code: 2 });
    const absent = await verify('absent.zip');
    expect(absent.code).toBe(2);
    expect(absent.stderr).toContain('absent.zip cannot be read');
    const unnamed = await verify();
    expect([unnamed.code, unnamed.stderr.slice(0, 27)]).toEqual([2, 'usage: tailgate-verify FILE']);

    const key = signer(originOfPacks);
    const outside = witness();
    const log = logged(key, { witnesses: [outside] });
    await writeFile(join(elsewhere, 'proven.zip'), await provenPack(log.log));
    await writeFile(join(elsewhere, 'policy'), `log ${key.text}\nwitness outside ${outside.text}\n`);
    await writeFile(join(elsewhere, 'newer.txt'), log.growth(log.size, 20));
    expect(await verify('proven.zip', '--trust', 'policy', '--checkpoint', 'newer.txt')).toMatchObject({ code: 0 });
    expect(await verify('proven.zip', '--trust', key.text)).toMatchObject({ code: 3 });
    const page = await readFile(join(elsewhere, 'node_modules', verifier, 'dist/verify.html'), 'utf8');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/(?:src|href)=/);
    const noKeys = await verify('proven.zip', '--trust', 'package.json');
    expect([noKeys.code, noKeys.stderr.slice(0, 14)]).toEqual([2, 'expected a key']);
  });
});

describe('the exports of the SDK', async () => {
  const { exports } = manifest.parse(JSON.parse(await readFile(join(root, 'client-sdk/package.json'), 'utf8')));
  const entries = Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string' ? [] : [[entry, join(root, 'client-sdk', target.types)] as const],
  );

  test('equal the report; `vitest -u` writes it anew', async () => {
    const [printed, unknown] = [new Set<string>(), new Set<string>()];
    const block = (declarations: readonly { readonly text: string }[]): string =>
      `\`\`\`ts\n${declarations.map(({ text }) => text.replace(/^export (declare )?/gm, '')).join('\n\n')}\n\`\`\`\n`;
    const sections = entries.map(([entry, types]) => {
      const named = namedBy(types, printed, unknown);
      const rest = named.length > 0 ? `\nWhat these name, and apps need not import:\n\n${block(named)}` : '';
      return `## @tailgate/client-sdk${entry.slice(1)}\n\n${block(exportsOf(types))}${rest}`;
    });
    // A single letter names a parameter.
    expect([...unknown].filter((name) => name.length > 1).sort()).toEqual(outside);
    const report = `# What apps can build on\n\nMade from the declarations by tests/package; a change here is a change for apps.\n\n${sections.join('\n')}`;
    for (const method of ['signIn', 'updateStop', 'acknowledge', 'now', 'on'])
      expect(report).toMatch(`\n    ${method}`);
    await expect(report).toMatchFileSnapshot('../../client-sdk/api.md');
  });

  test('every name has a description', () => {
    const silent = entries.flatMap(([entry, types]) =>
      exportsOf(types)
        .filter(({ hasDoc }) => !hasDoc)
        .map(({ name }) => `${entry} ${name}`),
    );
    expect(silent).toEqual([]);
  });
});

/** Names that the report uses and does not define: the platform's, other packages', and parameters of types. */
const outside = [
  ...['ArrayBuffer', 'Blob', 'CryptoKey', 'Date', 'Error', 'Exclude', 'Field', 'Fields'],
  ...['HttpStack', 'IDBFactory', 'Iterable', 'LockManager', 'Map', 'Name', 'NonNullable', 'Omit', 'Partial'],
  ...['Pick', 'Promise', 'ReactElement', 'ReactNode', 'Readonly', 'ReadonlyMap', 'Record', 'Request', 'Response'],
  ...['ReturnType', 'ServiceWorker', 'Set', 'Some', 'URL', 'Uint8Array', 'Value', 'WebSocket', 'ZodTypeInternals'],
  ...['fetch', 'globalThis'],
];

/** The output of a failed program. */
const failure = z.object({ stdout: z.string() });
const exited = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });
