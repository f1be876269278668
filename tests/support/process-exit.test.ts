import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const module = JSON.stringify(join(import.meta.dirname, 'process-exit.ts'));

/** A program with two resources that must not outlive it; the second one opens on request. */
const program = `
import { once } from 'node:events';
import { atProcessExit, deferSignals } from ${module};
atProcessExit(() => console.log('first ended'));
process.on('SIGTERM', () => console.log('SIGTERM received'));
const close = await deferSignals(async () => {
  console.log('opening');
  await once(process.stdin, 'data');
  console.log('opened');
  return atProcessExit(() => console.log('second ended'));
});
console.log('at work');
await once(process.stdin, 'data');
close();
console.log('second closed');
throw new Error('a fault');
`;

function start() {
  const flags = ['--conditions=source', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, flags, { stdio: ['pipe', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    child,
    until: async (words: string) => {
      while (!output.includes(words)) await once(child.stdout, 'data');
    },
    ending: async () => {
      await once(child, 'close');
      return { code: child.exitCode, output: output.trimEnd().split('\n') };
    },
  };
}

test('a signal during opening waits for it, and then everything is ended, the latest first', async () => {
  const { child, until, ending } = start();
  await until('opening');
  child.kill('SIGTERM');
  await until('SIGTERM received');
  child.stdin.write('go on');
  const output = ['opening', 'SIGTERM received', 'opened', 'second ended', 'first ended'];
  expect(await ending()).toEqual({ code: 143, output });
});

test('a fault ends all open resources, and leaves closed ones alone', async () => {
  const { child, until, ending } = start();
  await until('opening');
  child.stdin.write('go on');
  await until('at work');
  child.stdin.write('go on');
  const output = ['opening', 'opened', 'at work', 'second closed', 'first ended'];
  expect(await ending()).toEqual({ code: 1, output });
});
