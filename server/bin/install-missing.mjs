// Runs before `npm start` and `npm test`, on any Node from 20 on. A fresh clone has no packages and no pinned Node yet,
// so this is plain JavaScript without dependencies.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');

if (!isComplete() || installsHere().length > 0) {
  await takeLock();
  await waitForOtherInstalls();
  // Another command may have installed everything meanwhile.
  if (!isComplete()) await install();
}

async function install() {
  console.log('Installing what is missing; the first time this takes about a minute …');
  const npm = process.env.npm_execpath;
  if (npm === undefined) fail('run this by npm: npm start');
  // The same npm and Node that run this script: neither needs to be on the PATH.
  const args = [npm, 'install', '--loglevel=error', '--no-audit', '--no-fund'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  // The child ends with this script. Otherwise the next start would install into the same folder beside it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [status] = await once(child, 'close');
  if (status !== 0) fail('npm install failed, see above; once it works by hand, start again');
}

/** Whether the installed packages are those of the lockfile, with the pinned Node. */
function isComplete() {
  const wanted = lockedPackages('package-lock.json');
  const installed = lockedPackages('node_modules/.package-lock.json');
  const missing = Object.entries(wanted).filter(
    ([path, { version, optional }]) =>
      path.startsWith('node_modules/') && !optional && installed[path]?.version !== version,
  );
  const node = process.platform === 'win32' ? 'node.exe' : 'node';
  return missing.length === 0 && existsSync(join(root, 'node_modules/node/bin', node));
}

function lockedPackages(file) {
  const path = join(root, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
}

/**
 * Lets one first command of this checkout run at a time. The lock is a local socket, which the system releases at the
 * end of this process in any case. A second command connects and waits for the connection to close.
 */
async function takeLock() {
  const name = `tailgate-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`;
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
  for (;;) {
    const lock = createServer((waiting) => waiting.on('error', () => undefined).unref()).unref();
    try {
      lock.listen(path);
      return await once(lock, 'listening');
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
    }
    await waitForRelease(path);
  }
}

async function waitForRelease(path) {
  const holder = connect(path);
  const error = await new Promise((resolve) => holder.once('error', resolve).once('close', resolve));
  if (error?.code === 'ECONNREFUSED') await removeDead(path);
}

/**
 * A killed process leaves the file of its socket behind. Commands remove it in turn and check again in their turn,
 * because an earlier command may have made a new lock.
 */
async function removeDead(path) {
  const turn = `${path}.removal`;
  try {
    closeSync(openSync(turn, 'wx'));
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    // The process was killed during its turn, which takes milliseconds.
    if (Date.now() - (statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > 10_000)
      rmSync(turn, { force: true });
    await delay(50);
    return;
  }
  try {
    const again = connect(path);
    const error = await new Promise((resolve) => again.once('error', resolve).once('connect', resolve));
    again.destroy();
    if (error?.code === 'ECONNREFUSED') rmSync(path, { force: true });
  } finally {
    rmSync(turn, { force: true });
  }
}

/** Waits for an `npm install` or `npm ci` that a person has started in this checkout. */
async function waitForOtherInstalls() {
  if (installsHere().length === 0) return;
  console.log('Waiting for the npm install that runs in this folder …');
  while (installsHere().length > 0) await delay(250);
}

/** Process ids as far as the system shows them (/proc). Elsewhere npm's own checks have to do. */
function installsHere() {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid) || readlinkSync(`/proc/${pid}/cwd`) !== root) return false;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return /^(\S*node\s+)?\S*npm(-cli\.js)?\s+(i|install|ci|clean-install|add|update)\b/.test(command);
    } catch {
      return false; // It has ended, or is another user's.
    }
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
