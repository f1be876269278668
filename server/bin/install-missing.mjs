// Runs before `npm start` and `npm test`, on whatever Node the machine has (20 or newer): straight after a clone nothing
// is installed yet, not even the Node that the server is made for. Plain JavaScript and no dependencies, therefore.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

if (!isComplete()) {
  console.log('Installing what is missing; the first time this takes about a minute …');
  const npm = process.env.npm_execpath;
  if (npm === undefined) fail('run this by npm: npm start');
  // The same npm that was asked to start, with the Node that runs it: neither need be on the PATH.
  const args = [npm, 'install', '--loglevel=error', '--no-audit', '--no-fund'];
  const install = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  // It ends with us: the next start would install into the same folder beside it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => install.kill(signal));
  const [status] = await once(install, 'close');
  if (status !== 0) fail('npm install failed, see above; once it works by hand, start again');
}

/** What npm has installed is what the lockfile asks for, and the pinned Node has arrived with it. */
function isComplete() {
  const wanted = lockedPackages('package-lock.json');
  const installed = lockedPackages('node_modules/.package-lock.json');
  const missing = Object.entries(wanted).filter(
    ([path, { version, optional }]) =>
      path.startsWith('node_modules/') && !optional && installed[path]?.version !== version,
  );
  return missing.length === 0 && existsSync(join(root, 'node_modules/node/bin/node'));
}

function lockedPackages(file) {
  const path = join(root, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
