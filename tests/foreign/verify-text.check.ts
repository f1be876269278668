import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { containerMembers, members } from '../../server/verify/src/format.ts';
import { openSealKey, type SealKey } from '../../server/src/ops/evidence/certificate/seal-key.ts';
import { unzipped } from '../server/ops/unzipped.ts';
import { archived, chainedPack, forged, replaced, storedMember } from '../verify/packs.ts';
import { logged, originOfPacks, provenPack, signer } from '../verify/proven-pack.ts';

// The commands of a pack's VERIFY.txt, run as they are printed there.

const run = promisify(execFile);
let folder: string;
let pack: Buffer;
let text: string;
let commands: string[];
let keys: string;
let certificate: SealKey;

beforeAll(async () => {
  keys = await mkdtemp(join(tmpdir(), 'tailgate-keys-'));
  certificate = await (await openSealKey({ dataDir: keys, sealKeyFile: undefined, host: 'pod.example.com' }))();
});
afterAll(() => rm(keys, { recursive: true }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tailgate-foreign-'));
  pack = await provenPack(logged(signer(originOfPacks)).log, [], { key: certificate });
  text = String(unzipped(pack).get(members.verify));
  commands = text.split('\n').flatMap((line) => (/^ {5}\S/.test(line) ? [line.trim()] : []));
});
afterEach(() => rm(folder, { recursive: true }));

const programs = ['unzip', 'openssl cms', 'pdfsig', 'pdfdetach', 'openssl pkeyutl'] as const;

/** The printed command of a program. */
const command = (program: (typeof programs)[number]): string =>
  commands.find((each) => each.includes(program)) ?? `no ${program}`;

/** Runs one command in the folder of the members, without the others. */
async function runAlone(bytes: Buffer, program: (typeof programs)[number]): Promise<string> {
  await rm(join(folder, 'evidence'), { recursive: true, force: true });
  const [name = ''] = /\S+\.zip/.exec(commands[0] ?? '') ?? [];
  await writeFile(join(folder, name), bytes);
  const steps = [`unzip -q ${name} -d evidence`, 'cd evidence', command(program)].join('\n');
  return (await run('sh', ['-ec', steps], { cwd: folder })).stdout;
}

/** Runs the commands in one shell, up to the first that fails. */
async function follow(bytes: Buffer, some = commands): Promise<string> {
  await rm(join(folder, 'evidence'), { recursive: true, force: true });
  const [name = ''] = /\S+\.zip/.exec(some[0] ?? '') ?? [];
  await writeFile(join(folder, name), bytes);
  return (await run('sh', ['-ec', some.join('\n')], { cwd: folder })).stdout;
}

describe('the commands of VERIFY.txt', () => {
  test('are at most five, and find nothing wrong in a pack', async () => {
    expect(commands.map((each) => /unzip|openssl cms|pdfsig|pdfdetach|openssl pkeyutl/.exec(each)?.[0])).toEqual(
      programs,
    );
    const output = await follow(pack);
    expect(output).toContain('No errors detected');
    for (const name of [members.pdf, members.json, members.verify]) expect(output).toContain(`${name}: OK`);
    expect(output).toContain('Signature is Valid');
    expect(output).toContain('Total document signed');
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
    await expect(follow(other, commands.slice(0, 1))).resolves.toContain(`${members.pdf}: OK`);
    await expect(runAlone(other, 'pdfdetach')).rejects.toThrow('Command failed');
    // The sums are others than those that were signed.
    await expect(runAlone(other, 'openssl cms')).rejects.toThrow('Command failed');
    await expect(runAlone(other, 'openssl pkeyutl')).rejects.toThrow('Command failed');
    // A reader looks for the sentence of success: no command that fails prints it.
    for (const program of ['openssl cms', 'openssl pkeyutl', 'pdfdetach'] as const) {
      const failure = await runAlone(other, program).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      // Of the properties, two are what it has printed.
      expect(JSON.stringify(failure)).not.toMatch(/successful/i);
    }
  });

  test('find one changed byte in the PDF, whose sums a forger has written anew', async () => {
    const changed = await forged(pack, (content) => {
      const document = content.get(members.pdf) ?? Buffer.alloc(0);
      document[2_000] = (document[2_000] ?? 0) ^ 1;
    });
    await expect(runAlone(pack, 'pdfsig')).resolves.toContain('Signature is Valid');
    await writeFile(join(folder, members.pdf), unzipped(changed).get(members.pdf) ?? '');
    const { stdout } = await run('pdfsig', ['-nocert', members.pdf], { cwd: folder });
    expect(stdout).toContain('Digest Mismatch');
    await expect(runAlone(changed, 'pdfsig')).rejects.toThrow('Command failed');
    await expect(runAlone(changed, 'openssl cms')).rejects.toThrow('Command failed');
  });

  test('find one changed byte in the manifest of the container, and in its signature', async () => {
    await expect(runAlone(pack, 'openssl cms')).resolves.toBeDefined();
    for (const name of Object.values(containerMembers)) {
      const content = unzipped(pack);
      const bytes = Buffer.from(content.get(name) ?? '');
      content.set(name, bytes);
      const at = bytes.length - 200;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      const changed = await archived([...content].map(([each, one]) => storedMember(each, one)));
      await expect(runAlone(changed, 'openssl cms')).rejects.toThrow('Command failed');
    }
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
  const mixed = await provenPack({ ...one.log, keys: other.log.keys }, [], { key: certificate });
  await expect(follow(mixed, commands.slice(0, -1))).resolves.toContain('No errors detected');
  await expect(follow(mixed)).rejects.toThrow('Command failed');
});

test('a pack without a log and a certificate has two commands, which find nothing wrong', async () => {
  const bare = await chainedPack();
  const printed = String(unzipped(bare).get(members.verify)).match(/(?<=^ {5})\S.*/gm) ?? [];
  expect(printed).toHaveLength(2);
  await expect(follow(bare, printed)).resolves.toContain('No errors detected');
});

test('a pack without names has no text of a change to compare', async () => {
  const { log } = logged(signer(originOfPacks), { without: ['names'] });
  const nameless = await provenPack(log, ['names'], { key: certificate });
  const printed = String(unzipped(nameless).get(members.verify)).match(/(?<=^ {5})\S.*/gm) ?? [];
  const output = await follow(nameless, printed);
  expect(output).toContain('Signature is Valid');
  expect(output).not.toMatch(/^[0-9a-f]{64}$/m);
});
