import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endWithNpm } from '../src/runtime/npm-parent.ts';

// `npm run dev`: starts the server and restarts it after a change of a source file. Node stops the running server by
// SIGTERM first, so an embedded PostgreSQL stops cleanly, too. On a terminal the log lines are sentences. Beside it the
// pages are built after a change of its sources, and open ones reload.

const server = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const watcher = spawn(
  process.execPath,
  ['--watch', '--watch-preserve-output', '--conditions=source', server, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);

const pages = fileURLToPath(new URL('../web/build/main.ts', import.meta.url));
// By the channel it notices the end of this program.
const builder = spawn(process.execPath, ['--conditions=source', pages, '--watch'], {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});

endWithNpm(process.env);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    watcher.kill(signal);
    builder.kill(signal);
  });

await once(watcher, 'exit');
builder.kill();
process.exitCode = watcher.exitCode ?? 1;
