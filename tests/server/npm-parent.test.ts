import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const npmParent = fileURLToPath(new URL('../../server/src/runtime/npm-parent.ts', import.meta.url));

/** Prints how it ends: by the signal, or by itself well after its shell has ended. */
const program = `
  const { endWithNpm } = await import(process.argv[1]);
  process.on('SIGTERM', () => { console.log('ended by SIGTERM'); process.exit(); });
  const shell = process.ppid;
  endWithNpm(process.env);
  setInterval(() => {
    if (process.ppid !== shell) setTimeout(() => { console.log('outlived its shell'); process.exit(); }, 1_000);
  }, 50);
  console.log('ready');
`;

/** Kills the shell between this test and the program once the program is ready. @returns the program's output */
async function killShell(env: Record<string, string>): Promise<string> {
  const args = ['-c', '"$0" "$@"; exit $?', process.execPath, '--input-type=module', '-e', program, npmParent];
  const shell = spawn('sh', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const output = text(shell.stdout);
  await once(shell.stdout, 'data');
  shell.kill('SIGKILL');
  return output;
}

test('a program under npm ends as by SIGTERM when its shell has ended', async () => {
  expect(await killShell({ npm_lifecycle_event: 'start' })).toContain('ended by SIGTERM');
});

test('a program that a person starts outlives the shell', async () => {
  expect(await killShell({})).toContain('outlived its shell');
});
