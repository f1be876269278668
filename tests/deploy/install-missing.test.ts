import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../house/source-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// `npm start` and `npm test` install missing packages. First commands of one checkout take turns.

const COMMANDS = 5;

/** Replaces npm: records when it begins and ends, installs the pinned Node, and takes as long as its input. */
const npm = `
  import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
  appendFileSync('installs', 'begin ');
  for await (const _ of process.stdin);
  mkdirSync('node_modules/node/bin', { recursive: true });
  writeFileSync('node_modules/node/bin/node', '');
  writeFileSync('node_modules/.package-lock.json', '{"packages": {}}');
  appendFileSync('installs', 'end ');
`;
/** A first command that was killed: the system keeps the file of its socket. */
const killed = `
  const path = process.argv[1];
  require('node:net').createServer().listen(path, () => process.kill(process.pid, 'SIGKILL'));
`;

/** Stops a command right after it has found the lock of an ended process, until another one installs. */
const late = `
  import net from 'node:net';
  import { syncBuiltinESMExports } from 'node:module';
  import { existsSync, writeFileSync } from 'node:fs';
  const { connect } = net;
  net.connect = (path) => connect(path).once('error', () => {
    writeFileSync('found', '');
    while (!existsSync('installs')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  });
  syncBuiltinESMExports();
`;

test('commands that find the lock of a killed one install once', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'server/bin'), { recursive: true });
  const script = join(folder, 'server/bin/install-missing.mjs');
  await copyFile(join(root, 'server/bin/install-missing.mjs'), script);
  await writeFile(join(folder, 'package-lock.json'), '{"packages": {}}');
  await writeFile(join(folder, 'npm.mjs'), npm);
  await writeFile(join(folder, 'late.mjs'), late);
  const env = { PATH: process.env['PATH'], TMPDIR: folder, npm_execpath: join(folder, 'npm.mjs') };
  const start = (...options: string[]) =>
    spawn(process.execPath, [...options, script], { cwd: folder, env, stdio: ['pipe', 'ignore', 'inherit'] });

  const name = `tailgate-install-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  const lock = join(folder, name);
  await once(spawn(process.execPath, ['-e', killed, lock]), 'close');
  const delayed = start('--import', './late.mjs');
  await expect.poll(() => existsSync(join(folder, 'found')), { timeout: 60_000 }).toBe(true);
  const commands = [delayed, ...Array.from({ length: COMMANDS - 1 }, () => start())];
  const ended = commands.map(async (command) => {
    await once(command, 'close');
    return command.exitCode;
  });
  // The command that listens, and a connection of each command that waits for it.
  const sockets = async () =>
    (await readFile('/proc/net/unix', 'utf8')).split('\n').filter((line) => line.endsWith(lock));
  await expect.poll(async () => (await sockets()).length, { timeout: 60_000 }).toBe(COMMANDS);
  for (const { stdin } of commands) stdin.end();
  expect(await Promise.all(ended)).toEqual(commands.map(() => 0));
  expect(await readFile(join(folder, 'installs'), 'utf8')).toBe('begin end ');
});
