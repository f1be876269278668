import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSealKey } from '../../server/src/ops/evidence/certificate/seal-key.ts';
import { stamper } from '../../server/src/ops/evidence/certificate/stamp.ts';
import { containerMembers, members, stampMember } from '../../server/verify/src/format.ts';
import { readTrust } from '../../server/verify/src/log/trust.ts';
import { nodeTools } from '../../server/verify/src/node-tools.ts';
import { unzipped } from '../server/ops/unzipped.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { openAuthority, type TimeAuthority } from '../support/time-authority.ts';
import { found, statesOf, verify } from '../verify/packs.ts';
import { logged, originOfPacks, provenPack, signer, witness } from '../verify/proven-pack.ts';

// Time stamps of an authority that is `openssl ts`, and what openssl finds in them.

const run = promisify(execFile);
const key = signer(originOfPacks);
const outside = witness();
const policy = `log ${key.text}\nwitness outside ${outside.text}\n`;
const log = recordedLog();
let folder: string;
let authority: TimeAuthority;
let pack: Buffer;
let content: Map<string, Buffer>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tailgate-stamps-'));
  authority = await openAuthority(folder);
  pack = await stampedBy(authority);
  content = unzipped(pack);
  for (const name of [members.sums, stampMember, ...Object.values(containerMembers)])
    await writeFile(join(folder, name.replace(/.*\//, '')), content.get(name) ?? '');
  await writeFile(join(folder, 'authority.pem'), authority.certificate);
});
afterAll(async () => {
  await authority.close();
  await rm(folder, { recursive: true });
});

/** A pack whose maker uses an authority. */
async function stampedBy({ url }: TimeAuthority, noted = log): Promise<Buffer> {
  const seal = await openSealKey({ dataDir: folder, sealKeyFile: undefined, host: 'pod.example.com' });
  const sealing = { key: await seal(), stamp: stamper(url, noted) };
  return provenPack(logged(key, { witnesses: [outside] }).log, [], sealing);
}

const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
const trustOf = (text: string) => readTrust(text, nodeTools);

describe('the time stamps of a pack', () => {
  test('are valid for openssl, and those of other bytes are not', async () => {
    const options = ['ts', '-verify', '-in', 'SHA256SUMS.tsr', '-CAfile', 'authority.pem'];
    expect((await openssl(...options, '-data', members.sums)).stdout).toContain('Verification: OK');
    await writeFile(join(folder, 'other'), `${String(content.get(members.sums))} `);
    await expect(openssl(...options, '-data', 'other')).rejects.toThrow('Command failed');
  });

  test('pass by the certificate of the authority, and are unknown without it', async () => {
    const known = await verify(pack, 65_536, { trust: await trustOf(`${policy}${authority.certificate}`) });
    expect([known.outcome, statesOf(known)['stamps']]).toEqual(['proven', 'passed']);
    expect(found(known, 'stamps')).toEqual(['stamped', 'stamped']);
    const unknown = await verify(pack, 65_536, { trust: await trustOf(policy) });
    expect([unknown.outcome, statesOf(unknown)['stamps']]).toEqual(['proven', 'unknown']);
    expect(found(unknown, 'stamps')).toEqual(['stamp-unknown', 'stamp-unknown']);
    expect(log.lines).toEqual([]);
  });

  test('of another authority with the same names are not those of the trusted one', async () => {
    const other = await openAuthority(folder);
    const { certificate } = other;
    await other.close();
    const verification = await verify(pack, 65_536, { trust: await trustOf(`${policy}${certificate}`) });
    expect(found(verification, 'stamps')).toEqual(['stamp-unknown', 'stamp-unknown']);
  });

  test('of an authority that the maker of the pack has made by his certificate are unknown', async () => {
    const issuer = join(folder, 'keys/seal.pem');
    const own = await openAuthority(folder, { issuer });
    const stamped = await stampedBy(own);
    await own.close();
    const certificates = /-----BEGIN CERTIFICATE[^]*/.exec(await readFile(issuer, 'utf8'))?.[0] ?? '';
    const verification = await verify(stamped, 65_536, { trust: await trustOf(`${policy}${certificates}`) });
    expect(found(verification, 'certificate')).toEqual([]);
    expect(found(verification, 'stamps')).toEqual(['stamp-unknown', 'stamp-unknown']);
  });

  test('by another algorithm than this program reads are left out, and the pack is proven', async () => {
    const curves = await openAuthority(folder, { key: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] });
    const warned = recordedLog();
    const unstamped = await stampedBy(curves, warned);
    await curves.close();
    const verification = await verify(unstamped, 65_536, { trust: await trustOf(policy) });
    expect([verification.outcome, statesOf(verification)['stamps']]).toEqual(['proven', 'absent']);
    expect(new Set(warned.lines.map(({ message }) => message))).toEqual(
      new Set(['TSA_URL gave no time stamp: an evidence pack is made without it']),
    );
  });

  test('with one byte changed are never proven', async () => {
    const bytes = content.get(stampMember) ?? Buffer.alloc(0);
    const begin = pack.indexOf(bytes);
    const step = Math.ceil(bytes.length / 60);
    const trust = await trustOf(`${policy}${authority.certificate}`);
    for (let at = begin; at < begin + bytes.length; at += step) {
      const changed = Buffer.from(pack);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect((await verify(changed, 65_536, { trust })).outcome).toBe('tampered');
    }
  });
});

test('openssl finds the signature of the container valid under its self-made certificate', async () => {
  const signed = ['-inform', 'DER', '-in', 'signature.p7s', '-content', 'ASiCManifest.xml'];
  const { stdout } = await openssl('cms', '-verify', '-binary', ...signed, '-CAfile', 'keys/seal.pem');
  expect(stdout).toBe(String(content.get(containerMembers.manifest)));
  const shown = await openssl('x509', '-in', 'keys/seal.pem', '-noout', '-subject');
  expect(shown.stdout).toMatch(/O = pod\.example\.com, CN = "Tailgate evidence, self-made certificate"/);
});
