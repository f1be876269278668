import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endWithNpm } from '../src/runtime/npm-parent.ts';

// `npm run dev`: starts the server and restarts it after a change of a source file. Node stops the running server by
// SIGTERM first, so an embedded PostgreSQL stops cleanly, too. On a terminal the log lines are sentences.

const server = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const watcher = spawn(
  process.execPath,
  ['--watch', '--watch-preserve-output', '--conditions=source', server, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);

endWithNpm(process.env);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => watcher.kill(signal));

await once(watcher, 'exit');
process.exitCode = watcher.exitCode ?? 1;
