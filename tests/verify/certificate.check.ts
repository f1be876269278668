import { createHash, randomInt } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSealKey, type SealKey } from '../../server/src/ops/evidence/certificate/seal-key.ts';
import { selfMade } from '../../server/src/ops/evidence/certificate/self-made.ts';
import { signDigest } from '../../server/src/ops/evidence/certificate/sign.ts';
import { stamper } from '../../server/src/ops/evidence/certificate/stamp.ts';
import { readCertificate } from '../../server/verify/src/cms/certificate.ts';
import { messageBytes, readMessage } from '../../server/verify/src/cms/signature.ts';
import { containerMembers, logMembers, manifestText, members } from '../../server/verify/src/format.ts';
import { readTrust } from '../../server/verify/src/log/trust.ts';
import { nodeTools } from '../../server/verify/src/node-tools.ts';
import type { Settings, Verification } from '../../server/verify/src/verify-pack.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { unzipped } from '../server/ops/unzipped.ts';
import { archived, chainedPack, found, statesOf, storedMember, verify } from './packs.ts';
import { logged, originOfPacks, provenPack, signer, witness } from './proven-pack.ts';

const key = signer(originOfPacks);
const outside = witness();
const log = logged(key, { witnesses: [outside] });
let file: string;
let certificate: SealKey;
let other: SealKey;
let pack: Buffer;
let settings: Settings;

async function madeKey(): Promise<{ readonly file: string; readonly key: SealKey }> {
  const dataDir = await temporaryFolder();
  const read = await openSealKey({ dataDir, sealKeyFile: undefined, host: 'pod.example.com' });
  return { file: join(dataDir, 'keys/seal.pem'), key: await read() };
}

beforeAll(async () => {
  const [made, second] = [await madeKey(), await madeKey()];
  [file, certificate, other] = [made.file, made.key, second.key];
  pack = await provenPack(log.log, [], { key: certificate });
  settings = { trust: await readTrust(`log ${key.text}\nwitness outside ${outside.text}\n`, nodeTools) };
});

const check = (bytes: Buffer, how: Settings = settings): Promise<Verification> => verify(bytes, 65_536, how);

/** A container whose members fit each other, under the signature of a key. */
async function resigned(change: (content: Map<string, Buffer>) => void, by: SealKey): Promise<Buffer> {
  const content = unzipped(pack);
  content.delete(containerMembers.manifest);
  content.delete(containerMembers.signature);
  change(content);
  const sums = [...content].map(([name, bytes]) => ({ name, sha256: sha256Hex(bytes) }));
  const manifest = manifestText(sums.filter(({ name }) => name !== members.type));
  content.set(containerMembers.manifest, Buffer.from(manifest));
  const signature = signDigest(
    by,
    Buffer.from(sha256Hex(Buffer.from(manifest)), 'hex'),
    new Date('2026-11-20T18:00:00Z'),
  );
  content.set(containerMembers.signature, Buffer.from(signature));
  return archived([...content].map(([name, bytes]) => storedMember(name, bytes)));
}

const sha256Hex = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('a pack that a certificate has signed', () => {
  test('is proven: the key of the log vouches for the certificate', async () => {
    const verification = await check(pack);
    expect(statesOf(verification)).toMatchObject({ seal: 'passed', certificate: 'passed', container: 'passed' });
    expect(verification.outcome).toBe('proven');
  });

  test('has an unknown signer, unless the reader has its certificate', async () => {
    const bare = await chainedPack([], undefined, { key: certificate });
    expect(found(await check(bare), 'certificate')).toEqual(['certificate-unknown']);
    const trust = await readTrust(await certificateOf(file), nodeTools);
    expect(statesOf(await check(bare, { trust }))).toMatchObject({ certificate: 'passed', seal: 'absent' });
    await expect(readTrust('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', nodeTools)).rejects.toThrow(
      'cannot be read',
    );
  });
});

const certificateOf = async (path: string): Promise<string> =>
  /-----BEGIN CERTIFICATE[^]*/.exec(await readFile(path, 'utf8'))?.[0] ?? '';

describe('a forger', () => {
  test('signs the container by a certificate of his own: the PDF has another one', async () => {
    const verification = await check(await resigned(() => undefined, other));
    expect([verification.outcome, found(verification, 'certificate')]).toEqual(['tampered', ['container-seal']]);
  });

  test('takes the signature of the container away', async () => {
    const content = unzipped(pack);
    content.delete(containerMembers.manifest);
    content.delete(containerMembers.signature);
    const bare = await archived([...content].map(([name, bytes]) => storedMember(name, bytes)));
    const verification = await check(bare);
    expect(verification.outcome).toBe('tampered');
    expect(found(verification, 'certificate')).toEqual(['container-seal', 'container-seal']);
  });

  test('takes the seal of the log away: the signature of the container names it', async () => {
    const content = unzipped(pack);
    content.delete(logMembers.seal);
    const bare = await archived([...content].map(([name, bytes]) => storedMember(name, bytes)));
    expect(found(await check(bare), 'certificate')).toEqual(['container-seal', 'container-seal']);
  });

  test('signs a PDF of another pack: the digest of its bytes differs', async () => {
    const bare = await chainedPack();
    const verification = await check(
      await resigned(
        (content) => content.set(members.pdf, unzipped(bare).get(members.pdf) ?? Buffer.alloc(0)),
        certificate,
      ),
    );
    expect(found(verification, 'certificate')).toContain('pdf-seal');
  });

  test('changes a byte behind the signature in the PDF, or in the zeros of its place', async () => {
    const at = pack.indexOf('/Contents <') + 24_000;
    const changed = Buffer.from(pack);
    changed[at] = 0x31;
    expect((await check(changed)).outcome).toBe('tampered');
    const document = unzipped(pack).get(members.pdf) ?? Buffer.alloc(0);
    document[document.indexOf('/Contents <') + 24_000] = 0x31;
    const verification = await check(await resigned((content) => content.set(members.pdf, document), certificate));
    expect(found(verification, 'certificate')).toEqual(['pdf-seal']);
  });
});

/** The distance of changed bytes. Each run begins elsewhere, so that many runs change all of them. */
const STRIDE = 41;

test('one byte changed in a signature is never proven', async () => {
  for (const name of Object.values(containerMembers)) {
    const bytes = unzipped(pack).get(name) ?? Buffer.alloc(0);
    const passed = [];
    for (let at = randomInt(STRIDE); at < bytes.length; at += STRIDE) {
      const content = unzipped(pack);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      content.set(name, changed);
      const forged = await archived([...content].map(([each, one]) => storedMember(each, one)));
      if ((await check(forged)).outcome !== 'tampered') passed.push(at);
    }
    expect([name, passed]).toEqual([name, []]);
  }
});

test('a time of half a million bytes is read, and ends no program', async () => {
  const own = readCertificate(certificate.certificates[0] ?? new Uint8Array(0));
  if (!own) throw new Error('the certificate cannot be read');
  const digest = new Uint8Array(32);
  const at = '0'.repeat(500_000);
  const parts = { digest, certificateDigest: digest, at, certificate: own, chain: [], signature: digest };
  const read = await readMessage(messageBytes({ ...parts, stamp: undefined }), async () => digest);
  expect(read?.at).toHaveLength(500_000);
});

describe('the key of the certificate', () => {
  test('is made once, for its owner alone', async () => {
    expect((await stat(file)).mode % 0o1000).toBe(0o600);
    const dataDir = join(file, '../..');
    const again = await openSealKey({ dataDir, sealKeyFile: undefined, host: 'elsewhere.example.com' });
    expect((await again()).certificates).toEqual(certificate.certificates);
  });

  test('comes from a file, and a wrong file stops the start with the name of the setting', async () => {
    const read = await openSealKey({ dataDir: '', sealKeyFile: file, host: '' });
    expect((await read()).certificates).toEqual(certificate.certificates);
    const folder = await temporaryFolder();
    const wrong = join(folder, 'wrong.pem');
    const [mine, yours] = [await selfMade('a', new Date()), await selfMade('b', new Date())];
    for (const text of [
      '',
      mine.replace(/-----BEGIN CERTIFICATE[^]*/, ''),
      `${mine.split('-----BEGIN CERT')[0]}${yours}`,
    ]) {
      await writeFile(wrong, text);
      await expect(openSealKey({ dataDir: '', sealKeyFile: wrong, host: '' })).rejects.toThrow(
        'SEAL_KEY_FILE: expected one RSA',
      );
    }
    await expect(openSealKey({ dataDir: '', sealKeyFile: join(folder, 'none'), host: '' })).rejects.toThrow(
      'cannot be read',
    );
  });
});

test('an authority for time stamps that does not answer leaves the pack without one, and the log says so', async () => {
  const warned = recordedLog();
  const stamp = stamper('http://127.0.0.1:9/', warned);
  const verification = await check(await provenPack(log.log, [], { key: certificate, stamp }));
  expect([verification.outcome, statesOf(verification)['stamps']]).toEqual(['proven', 'absent']);
  expect(warned.lines.map(({ message }) => message)).toContain(
    'TSA_URL gave no time stamp: an evidence pack is made without it',
  );
});
