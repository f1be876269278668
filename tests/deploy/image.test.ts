import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openPages } from '../../server/src/http/pages/mount-pages.ts';
import { readText, root } from '../house/source-file.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const manifest = z.object({
  workspaces: z.array(z.string()).default([]),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});
const dockerfile = readText('server/deploy/Dockerfile');
const ignored = readText('server/deploy/Dockerfile.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Whether the builder gets a path: the last rule that matches it or a folder above it decides, as in Docker. */
function isInContext(path: string): boolean {
  const steps = path.split('/');
  const isMatched = (rule: string): boolean => {
    if (rule.startsWith('**/')) return steps.includes(rule.slice(3));
    return rule === '*' || path === rule || path.startsWith(`${rule}/`);
  };
  const decisive = ignored.findLast((rule) => isMatched(rule.replace(/^!/, '')));
  return decisive?.startsWith('!') ?? true;
}

/** The COPY instructions of a stage that read the context, and its RUN instructions. */
function stage(name: string): { copies: { from: string; to: string }[]; runs: string[] } {
  const [, text = ''] = new RegExp(`^FROM \\S+ AS ${name}\\n([^]*?)(?=^FROM )`, 'm').exec(dockerfile) ?? [];
  const copies = [...text.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].flatMap(([, from = '', to = '']) =>
    from.split(' ').map((each) => ({ from: each, to })),
  );
  return { copies, runs: [...text.matchAll(/^RUN (.+)$/gm)].map(([, command = '']) => command) };
}

test('the builder of the image gets every file that an instruction copies', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' '));
  expect(copied.length).toBeGreaterThan(10);
  expect(copied.filter((path) => !isInContext(path))).toEqual([]);
  for (const path of ['server/deploy/secrets/server.env', '.git/config', 'server/web/dist/app.json', 'node_modules/pg'])
    expect([path, isInContext(path)]).toEqual([path, false]);
});

test('each stage that installs packages has the manifest of every workspace', () => {
  const { workspaces } = manifest.parse(JSON.parse(readText('package.json')));
  const manifests = workspaces.map((each) => `${each}/package.json`);
  for (const name of ['modules', 'pages'])
    expect(stage(name).copies.map(({ from }) => from)).toEqual(
      expect.arrayContaining(['package.json', 'package-lock.json', ...manifests]),
    );
});

test('its stage for the pages builds them from the copied files alone, and the image takes the output', async () => {
  const folder = await temporaryFolder();
  const { copies, runs } = stage('pages');
  for (const { from, to } of copies)
    await cp(join(root, from), join(folder, to.endsWith('/') ? to + basename(from) : to), {
      recursive: true,
      filter: (path) => isInContext(relative(root, path)),
    });
  const [install, build = '', ...more] = runs;
  expect(install).toMatch(/^npm ci --workspace @tailgate\/web --ignore-scripts /);
  expect(more).toEqual([]);
  // As `npm ci` installs them: our packages by links, and what their manifests name.
  const manifests = ['server/web', 'client-sdk', 'sync-protocol'].map((each) => readText(`${each}/package.json`));
  const wanted = manifests.map((text) => manifest.parse(JSON.parse(text)));
  const names = wanted.flatMap((each) => Object.keys({ ...each.dependencies, ...each.devDependencies }));
  await mkdir(join(folder, 'node_modules/@tailgate'), { recursive: true });
  for (const name of new Set(names)) {
    const [, ours] = /^@tailgate\/(.+)$/.exec(name) ?? [];
    await symlink(
      ours === undefined ? join(root, 'node_modules', name) : join(folder, ours),
      join(folder, 'node_modules', name),
    );
  }
  expect(build).toMatch(/^node /);
  const { stdout } = await run(process.execPath, build.split(' ').slice(1), { cwd: folder });
  expect(stdout).toContain('Built the driver app');
  expect(stdout).toContain('Built the office console');

  const [, output = ''] = /^COPY --from=pages \/app\/(\S+) \1$/m.exec(dockerfile) ?? [];
  const log = recordedLog();
  // The server's own folder of the pages, within the copied one.
  const pages = openPages(join(folder, output), log);
  expect([await pages.app.isBuilt(), await pages.office.isBuilt()]).toEqual([true, true]);
  expect(readText('server/src/app.ts')).toContain(`'../web/dist'`);
  expect(output).toBe('server/web/dist');
});
