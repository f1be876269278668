import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const dev = fileURLToPath(new URL('../../server/bin/dev.ts', import.meta.url));

test('npm run dev passes its options on, watches the sources and ends with its watcher', async () => {
  const program = spawn(process.execPath, ['--conditions=source', dev, '--help'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(program, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(program.stdout)) {
    lines.push(line);
    if (line.includes('Completed running')) program.kill();
  }
  await ended;
  expect(lines.join('\n')).toContain('DATABASE_URL');
  expect(lines.join('\n')).toContain('Waiting for file changes');
});
