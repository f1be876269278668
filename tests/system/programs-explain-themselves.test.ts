import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// Input of a person who does not know the program: the program starts and touches nothing.

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, ...argv: string[]): Promise<Ending> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=source', file, ...argv], { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe.each([
  ['host', 'server/bin/host.ts', 'npm run host -- load FILE.json', 'no command is named dance: there are load, show'],
  ['ops', 'server/bin/ops.ts', 'npm run ops -- restored [--reason TEXT]', 'no command is named dance: there are rest'],
  ['migrate', 'server/bin/migrate.ts', 'npm run migrate', 'npm run migrate takes no words, got dance'],
])('npm run %s', (_name, file, form, complaint) => {
  test('prints its usage, and a one-line error for wrong input', async () => {
    const [helped, refused] = await Promise.all([run(file, '--help'), run(file, 'dance')]);
    expect(helped).toMatchObject({ code: 0, stderr: '' });
    expect(helped.stdout).toContain(form);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(complaint)]);
  });
});
