// Runs before `npm start`: builds the pages if their sources have changed. In the first command of a fresh clone `node`
// is still the system's, so this is plain JavaScript, and the build runs in the pinned Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const node = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
const build = join(root, 'server/web/build/main.ts');

const child = spawn(node, ['--conditions=source', build, '--if-changed'], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
const [status, signal] = await once(child, 'close');
// A Ctrl-C during the build stops the start.
if (signal !== null) process.exit(1);
// Phones depend on the server, not on the page: a failed build does not stop the start.
if (status !== 0) console.error('The server starts without a new build of a page: its last good build stays in use.');
