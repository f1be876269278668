import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logMembers, members } from '../../server/verify/src/format.ts';
import { unzipped } from '../server/ops/unzipped.ts';
import { logged, originOfPacks, provenPack, signer } from '../verify/proven-pack.ts';

// `docs/check-log.go`: seal and proofs by Go's own packages for signed notes and logs.

const run = promisify(execFile);
const key = signer(originOfPacks);
const program = join(import.meta.dirname, '../../docs/check-log.go');
let home: string;
let folder: string;
let check: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tailgate-go-'));
  folder = join(home, 'evidence');
  check = join(home, 'check-log');
  const environment = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(home, 'cache') };
  await run('go', ['build', '-o', check, program], { env: { ...process.env, ...environment } });
  for (const [name, bytes] of unzipped(await provenPack(logged(key).log))) await write(name, bytes);
});
afterAll(() => rm(home, { recursive: true }));

async function write(name: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), bytes);
}

test('finds the seal and every proof valid, by the key of the log alone', async () => {
  expect((await run(check, [folder, key.text])).stdout).toBe('sealed, and in the log: 3\n');
  await expect(run(check, [folder, signer(originOfPacks).text])).rejects.toThrow('no verifiable signatures');
});

test('finds one changed byte in the sums, a leaf or a proof', async () => {
  const { log } = logged(key);
  const whole = unzipped(await provenPack(log));
  for (const name of [members.sums, logMembers.leaves, log.leaves[0]?.proof ?? '', logMembers.seal]) {
    const bytes = whole.get(name) ?? Buffer.alloc(0);
    const text = String(bytes);
    const at = name === logMembers.leaves ? text.indexOf('version') + 12 : Math.floor(bytes.length / 2);
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await write(name, changed);
    await expect(run(check, [folder, key.text])).rejects.toThrow('Command failed');
    await write(name, bytes);
  }
  expect((await run(check, [folder, key.text])).stdout).toContain('in the log: 3');
});
