import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { members } from '../../server/verify/src/format.ts';
import { unzipped } from '../server/ops/unzipped.ts';
import { chainedPack, forged, replaced } from '../verify/packs.ts';
import { logged, originOfPacks, provenPack, signer } from '../verify/proven-pack.ts';

// The commands of a pack's VERIFY.txt, run as they are printed there.

const run = promisify(execFile);
let folder: string;
let pack: Buffer;
let text: string;
let commands: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tailgate-foreign-'));
  pack = await provenPack(logged(signer(originOfPacks)).log);
  text = String(unzipped(pack).get(members.verify));
  commands = text.split('\n').flatMap((line) => (/^ {5}\S/.test(line) ? [line.trim()] : []));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the commands in one shell, up to the first that fails. */
async function follow(bytes: Buffer, some = commands): Promise<string> {
  await rm(join(folder, 'evidence'), { recursive: true, force: true });
  const [name = ''] = /\S+\.zip/.exec(commands[0] ?? '') ?? [];
  await writeFile(join(folder, name), bytes);
  return (await run('sh', ['-ec', some.join('\n')], { cwd: folder })).stdout;
}

describe('the commands of VERIFY.txt', () => {
  test('are at most five, and find nothing wrong in a pack', async () => {
    expect(commands.length).toBeGreaterThan(2);
    expect(commands.length).toBeLessThanOrEqual(5);
    const output = await follow(pack);
    expect(output).toContain('No errors detected');
    for (const name of [members.pdf, members.json, members.verify]) expect(output).toContain(`${name}: OK`);
    const hashes = output.match(/^[0-9a-f]{64}/gm) ?? [];
    expect(hashes).toHaveLength(2);
    expect(hashes[0]).toBe(hashes[1]);
    expect(output).toContain('Signature Verified Successfully');
  });

  test('find a changed byte in each member', async () => {
    for (const bytes of unzipped(pack).values()) {
      const changed = Buffer.from(pack);
      const at = changed.indexOf(bytes.subarray(0, 20)) + 5;
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(follow(changed)).rejects.toThrow('Command failed');
    }
  });

  test('find another record than the one in the PDF', async () => {
    const other = await forged(pack, (content) => replaced(content, members.json, 'Ana Gil', 'Eva Gil'));
    await expect(follow(other, commands.slice(0, -2))).resolves.toContain(`${members.pdf}: OK`);
    await expect(follow(other)).rejects.toThrow('Command failed');
  });
});

test('pdftotext reads the hashes of the changes on the pages', async () => {
  await writeFile(join(folder, members.pdf), unzipped(pack).get(members.pdf) ?? '');
  const { stdout } = await run('pdftotext', ['-layout', members.pdf, '-'], { cwd: folder });
  const [hash] = /[0-9a-f]{64}/.exec(String(unzipped(pack).get(members.json))) ?? [];
  expect(stdout).toContain(hash);
  expect(stdout).toContain('What this does not prove');
});

test('openssl finds sums that another key has sealed', async () => {
  const [one, other] = [logged(signer(originOfPacks)), logged(signer(originOfPacks))];
  const mixed = await provenPack({ ...one.log, keys: other.log.keys });
  await expect(follow(mixed, commands.slice(0, -1))).resolves.toContain('No errors detected');
  await expect(follow(mixed)).rejects.toThrow('Command failed');
});

test('a pack without a log has four commands, which find nothing wrong', async () => {
  const bare = await chainedPack();
  const printed = String(unzipped(bare).get(members.verify)).match(/(?<=^ {5})\S.*/gm) ?? [];
  expect(printed).toHaveLength(4);
  await expect(follow(bare, printed)).resolves.toContain('No errors detected');
});
