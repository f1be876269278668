/** A supervisor that restarts `npm start` waits a little longer than this. */
const CHECK_MS = 250;

/**
 * Ends a program of an npm script, as SIGTERM does, once the script's shell has ended (decision 66): npm passes a
 * signal on to that shell alone. Without npm it watches nothing, so a server may outlive the shell that started it.
 */
export function endWithNpm(env: NodeJS.ProcessEnv): void {
  if (env['npm_lifecycle_event'] === undefined) return;
  const shell = process.ppid;
  const check = setInterval(() => {
    if (runs(shell)) return;
    clearInterval(check);
    // Emitted rather than sent: on Windows a sent SIGTERM runs no handler.
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(143);
  }, CHECK_MS).unref();
}

/** Windows keeps the number of a parent that has ended; elsewhere the child gets another parent. */
function runs(parent: number): boolean {
  if (process.platform !== 'win32') return process.ppid === parent;
  try {
    return process.kill(parent, 0);
  } catch {
    return false;
  }
}
