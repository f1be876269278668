import { beforeAll, describe, expect, test } from 'vitest';
import { logMembers, members, sealText } from '../../server/verify/src/format.ts';
import { listOf, objectOf } from '../../server/verify/src/json.ts';
import { readElsewhere } from '../../server/verify/src/log/proof.ts';
import { noTrust, readTrust } from '../../server/verify/src/log/trust.ts';
import { nodeTools } from '../../server/verify/src/node-tools.ts';
import { readNote } from '../../server/verify/src/log/note.ts';
import type { Tools } from '../../server/verify/src/tools.ts';
import { verifyPack, type Settings, type Verification } from '../../server/verify/src/verify-pack.ts';
import { ED25519, keyText, noteText, publicBytes, signText } from '../../server/src/tlog/format/note.ts';
import { unwitnessedText } from '../../server/src/ops/evidence/evidence.ts';
import { sealOf } from '../../server/src/ops/evidence/log/log-proofs.ts';
import { sha256 } from '../../server/src/mutations/item.ts';
import { readPdf } from '../server/ops/pdf-text.ts';
import { unzipped } from '../server/ops/unzipped.ts';
import { archived, forged, found, replaced, statesOf, storedMember, verify } from './packs.ts';
import { logged, originOfPacks, provenPack, signer, witness, type Signer } from './proven-pack.ts';

const key = signer(originOfPacks);
const outside = witness();
const log = logged(key, { witnesses: [outside] });
const policy = `# kept from last year\nlog ${key.text}\nwitness outside ${outside.text}\nquorum any\n`;
let pack: Buffer;
let settings: Settings;

beforeAll(async () => {
  pack = await provenPack(log.log);
  settings = { trust: await readTrust(policy, nodeTools) };
});

const check = (bytes: Buffer, how: Settings = settings): Promise<Verification> => verify(bytes, 65_536, how);

/** The sentence on the absent witness in VERIFY.txt, and in the document. */
function wordsOf(bytes: Buffer): (string | undefined)[] {
  const content = unzipped(bytes);
  const document = readPdf(content.get(members.pdf) ?? Buffer.alloc(0)).pages.join(' ');
  return [String(content.get(members.verify)), document].map(
    (text) => /No outside witness had signed[^.]*\./.exec(text.replaceAll(/\s+/g, ' '))?.[0],
  );
}

/** The forger has the key of the log: sums and seal fit. */
async function resealed(change: (content: Map<string, Buffer>) => void, by = key): Promise<Buffer> {
  const content = unzipped(await forged(pack, change));
  const sums = content.get(members.sums) ?? Buffer.alloc(0);
  const seal = sealOf({ origin: by.name, key: by.private }, sha256(String(sums)).toString('hex'));
  content.set(logMembers.seal, Buffer.from(seal));
  return archived([...content].map(([name, bytes]) => storedMember(name, bytes)));
}

describe('a pack with proofs', () => {
  test('is proven by a known key and an outside witness', async () => {
    const verification = await check(pack);
    expect(statesOf(verification)).toMatchObject({
      ...{ digests: 'passed', seal: 'passed', log: 'passed', witness: 'passed' },
      ...{ elsewhere: 'absent', stamps: 'absent' },
    });
    expect(verification.outcome).toBe('proven');
    const counts = Object.fromEntries(verification.checks.map(({ check: name, count }) => [name, count]));
    expect(counts).toMatchObject({ log: 3, witness: 1 });
  });

  test('has no known signer without a key from elsewhere, or with the key of another', async () => {
    for (const trust of [noTrust, await readTrust(signer(originOfPacks).text, nodeTools)]) {
      const verification = await check(pack, { trust });
      expect(verification.outcome).toBe('unsigned');
      expect(statesOf(verification)).toMatchObject({ seal: 'unknown', log: 'unknown', witness: 'unknown' });
      expect(found(verification, 'log')).toEqual(['key-unknown']);
    }
  });

  test('is not proven without a witness', async () => {
    const unwitnessed = await provenPack(logged(key).log);
    const verification = await check(unwitnessed);
    expect(verification.outcome).toBe('unsigned');
    expect(statesOf(verification)).toMatchObject({ seal: 'passed', log: 'passed', witness: 'absent' });
    expect(wordsOf(unwitnessed)).toEqual([unwitnessedText, unwitnessedText]);
    expect(wordsOf(pack)).toEqual([undefined, undefined]);
  });

  test('without names keeps its proofs, and shows no salt', async () => {
    const { log: nameless } = logged(key, { witnesses: [outside], without: ['names'] });
    const short = await provenPack(nameless, ['names']);
    expect((await check(short)).outcome).toBe('proven');
    expect(String(unzipped(short).get(logMembers.leaves))).not.toContain('07070707');
  });

  test('names a fact that was not yet in the log', async () => {
    const [first, ...leaves] = log.log.leaves;
    const proofs = new Map([...log.log.proofs].filter(([name]) => name !== first?.proof));
    const verification = await check(await provenPack({ ...log.log, leaves, proofs }));
    expect(verification.outcome).toBe('gaps');
    expect(found(verification, 'log')).toEqual(['unproven', 'signed-as']);
  });
});

test('a key that comes a thousand times costs one check of a signature, and more keys are no layout', async () => {
  let checks = 0;
  const isSigned: Tools['isSigned'] = (...signed) => {
    checks += 1;
    return nodeTools.isSigned(...signed);
  };
  const one = { origin: key.name, key: key.text, from_size: 0 };
  const withKeys = (count: number): Promise<Buffer> =>
    provenPack({ ...log.log, keys: Array.from({ length: count }, () => one) });
  const source = async function* (bytes: Buffer) {
    yield bytes;
  };
  const repeated = await verifyPack(source(await withKeys(1000)), { ...nodeTools, isSigned }, settings);
  expect(repeated.outcome).toBe('proven');
  expect(checks).toBeLessThan(10);
  expect(found(await check(await withKeys(1001)), 'log')).toContain('log-layout');
});

test('a note with the same signature twice is none', () => {
  const note = log.checkpoint(6);
  const [line = ''] = /— pod.*\n/.exec(note) ?? [];
  expect(readNote(note)).toBeDefined();
  expect(readNote(note + line)).toBeUndefined();
});

describe('the owner of the server, with the key of the log,', () => {
  const first = log.log.leaves[0]?.proof ?? '';

  test('rewrites a change: its leaf says so, and another leaf is not in the log', async () => {
    const differs = await check(
      await resealed((content) => replaced(content, members.json, '"employee":"1001"', '"employee":"1002"')),
    );
    expect(found(differs, 'log')).toEqual(['leaf-differs']);
    const invented = await check(
      await resealed((content) => replaced(content, logMembers.leaves, '\\"version\\":2', '\\"version\\":9')),
    );
    expect(found(invented, 'log')).toEqual(['leaf-differs', 'proof']);
    expect([differs.outcome, invented.outcome]).toEqual(['tampered', 'tampered']);
  });

  test('writes a forged change beside the true one, under its id, in another stop', async () => {
    const doubled = await resealed((content) => {
      const text = String(content.get(members.json));
      const [line = ''] = /^\{"place".*$/m.exec(text) ?? [];
      const stop = objectOf(JSON.parse(line));
      const [fact] = listOf(stop['facts']);
      const body = JSON.stringify({ args: { stop: { id: 5, updates: { driver_comments: 'left outside' } } } });
      const lie = { ...objectOf(fact), body, hash: sha256(body).toString('hex'), client_id: null, seq: null };
      const place = { ...objectOf(stop['place']), stop_id: 5 };
      const other = JSON.stringify({ ...stop, place, facts: [lie], files: [], acts: [], mails: [] });
      content.set(members.json, Buffer.from(text.replace(line, () => `${other},\n${line}`)));
    });
    const verification = await check(doubled);
    expect(statesOf(verification)).toMatchObject({ record: 'passed', changes: 'passed', links: 'passed' });
    expect(new Set(found(verification, 'log'))).toEqual(new Set(['leaf-differs']));
  });

  test.each([
    ['moves a proof', (text: string) => text.replace('index 3', 'index 4'), 'proof'],
    ['shortens a path', (text: string) => text.replace(/index 3\n.*\n/, 'index 3\n'), 'proof'],
    ['writes no proof', () => 'c2sp.org/tlog-proof@v2\n', 'proof'],
    [
      'signs another checkpoint for one proof',
      (text: string) => text.replace(/\n\n[^]*$/, `\n\n${log.checkpoint(9)}`),
      'checkpoint-differs',
    ],
  ])('%s', async (_, change, code) => {
    const verification = await check(
      await resealed((content) => content.set(first, Buffer.from(change(String(content.get(first)))))),
    );
    expect(verification.outcome).toBe('tampered');
    expect(found(verification, 'log')).toContain(code);
  });

  test('takes the proof of another facility, and of no fact', async () => {
    const other = signer('pod.example.com/log/F77');
    const { log: foreign } = logged(other, { witnesses: [outside] });
    const trust = await readTrust(`${policy}log ${other.text}`, nodeTools);
    expect(found(await check(await provenPack(foreign), { trust }), 'log')).toEqual(Array(3).fill('leaf-place'));
    const stray = await resealed((content) =>
      content.set('log/mutation-x.tlog-proof', content.get(first) ?? Buffer.alloc(0)),
    );
    expect(found(await check(stray), 'log')).toEqual(['leaf-stray']);
  });

  test('changes the earlier states of the log', async () => {
    const verification = await check(
      await resealed((content) => replaced(content, logMembers.growths, 'old 6', 'old 7')),
    );
    expect(found(verification, 'log')).toEqual(['growth']);
  });
});

describe('a forger with another key', () => {
  const forger = signer(originOfPacks);

  test('seals the pack as the log: the key is unknown', async () => {
    const verification = await check(await provenPack(logged(forger, { witnesses: [outside] }).log));
    expect(verification.outcome).toBe('unsigned');
    expect(found(verification, 'seal')).toEqual(['key-unknown']);
  });

  test('seals changed members under the old keys: the seal is invalid', async () => {
    const verification = await check(
      await resealed((content) => replaced(content, members.json, 'Ana Gil', 'Eva Gil'), forger),
    );
    expect(found(verification, 'seal')).toEqual(['seal']);
    const unsealed = await check(await forged(pack, (content) => replaced(content, members.verify, 'How', 'HOW')));
    expect(found(unsealed, 'seal')).toEqual(['seal']);
    expect([verification.outcome, unsealed.outcome]).toEqual(['tampered', 'tampered']);
  });

  test('signs as the witness: the signature is invalid', async () => {
    const { private: own } = witness();
    const impostor = { ...outside, private: own };
    const proofs = logged(key, { witnesses: [impostor] }).log.proofs;
    // The line of the impostor with the hash of the true key.
    const [, id = ''] = outside.text.split('+');
    const claimed = [...proofs].map(([name, proof]) => {
      const line = /(— witness\S* )(\S+)\n$/.exec(proof);
      const bytes = Buffer.from(line?.[2] ?? '', 'base64');
      bytes.write(id, 0, 'hex');
      return [name, proof.replace(/(— witness\S* )\S+\n$/, `$1${bytes.toString('base64')}\n`)] as const;
    });
    const verification = await check(await provenPack({ ...log.log, proofs: new Map(claimed) }));
    expect(verification.outcome).toBe('tampered');
    expect(found(verification, 'witness')).toEqual(['cosignature']);
  });

  test('is another carrier whom the reader trusts, too: he does not speak for the first one', async () => {
    const sealedBy = (carrier: Signer): Promise<Buffer> =>
      provenPack({
        ...log.log,
        keys: [...log.log.keys, { origin: carrier.name, key: carrier.text, from_size: 0 }],
        sealer: { origin: carrier.name, key: carrier.private },
      });
    const trusting = async ({ text }: Signer): Promise<Settings> => ({
      trust: await readTrust(`${policy}log ${text}`, nodeTools),
    });
    const carrier = signer('carrier.example.org/log/F01');
    const verification = await check(await sealedBy(carrier), await trusting(carrier));
    expect(verification.outcome).toBe('unsigned');
    expect(found(verification, 'seal')).toEqual(['seal-other', 'signed-as']);
    // The same server under a new address has the same key.
    const name = 'new.example.com/log/F01';
    const text = keyText({ name, algorithm: ED25519, key: publicBytes(key.private) });
    const moved = { name, text, private: key.private };
    expect((await check(await sealedBy(moved), await trusting(moved))).outcome).toBe('proven');
  });

  test('takes the proofs away: nothing is proven', async () => {
    const bare = await forged(pack, (content) => {
      for (const name of content.keys()) if (name.startsWith('log/')) content.delete(name);
    });
    const content = unzipped(bare);
    content.delete(logMembers.seal);
    const verification = await check(await archived([...content].map(([name, bytes]) => storedMember(name, bytes))));
    expect(verification.outcome).toBe('unsigned');
    expect(statesOf(verification)).toMatchObject({ seal: 'absent', log: 'absent', witness: 'absent' });
  });
});

describe('a checkpoint from elsewhere', () => {
  const withCheckpoint = async (text: string): Promise<Verification> => {
    const elsewhere = readElsewhere(text);
    if (!elsewhere) throw new Error('the text is no checkpoint');
    return check(pack, { ...settings, elsewhere });
  };
  const rewritten = Array.from({ length: 20 }, (_, i) => Buffer.from(`another history ${i}`));

  test.each([
    ['of the same size', () => log.checkpoint(log.size)],
    ['of an earlier state that the pack names', () => log.checkpoint(6)],
    ['of a later state, with its proof', () => log.growth(log.size, 23)],
  ])('%s fits', async (_, text) => {
    const verification = await withCheckpoint(text());
    expect([verification.outcome, statesOf(verification)['elsewhere']]).toEqual(['proven', 'passed']);
  });

  test.each([
    ['of the same size', () => log.checkpoint(log.size, { entries: rewritten })],
    ['of an earlier state', () => log.checkpoint(6, { entries: rewritten })],
    [
      'of a later state',
      () => log.growth(log.size, 23).replace(/\n\n[^]*$/, `\n\n${log.checkpoint(20, { entries: rewritten })}`),
    ],
  ])('%s after the database was rewritten contradicts the pack', async (_, text) => {
    const verification = await withCheckpoint(text());
    expect([verification.outcome, found(verification, 'elsewhere')]).toEqual(['tampered', ['elsewhere-forked']]);
  });

  test('that is older than a fact shows nothing of it', async () => {
    const verification = await withCheckpoint(log.checkpoint(4));
    expect([verification.outcome, found(verification, 'elsewhere')]).toEqual([
      'gaps',
      ['elsewhere-before', 'elsewhere-before'],
    ]);
    expect(verification.checks.find(({ check: name }) => name === 'elsewhere')?.count).toBe(1);
  });

  test('without a proof, or of another log, says that it shows nothing', async () => {
    expect(found(await withCheckpoint(log.checkpoint(23)), 'elsewhere')).toEqual(['elsewhere-unproven']);
    const other = logged(signer('pod.example.com/log/F77'));
    const verification = await withCheckpoint(other.checkpoint(10));
    expect([verification.outcome, found(verification, 'elsewhere')]).toEqual(['gaps', ['elsewhere-other']]);
  });
});

describe('one byte changed in a pack with proofs', () => {
  test('never leaves it proven', async () => {
    const proven = [];
    const step = Math.ceil(pack.length / 400);
    for (let at = 0; at < pack.length; at += step) {
      const changed = Buffer.from(pack);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      if (!['tampered', 'unreadable'].includes((await check(changed)).outcome)) proven.push(at);
    }
    expect(proven).toEqual([]);
  });

  test('in the seal neither', async () => {
    const text = String(unzipped(pack).get(logMembers.seal));
    const begin = pack.indexOf(text);
    for (let at = begin; at < begin + text.length; at++) {
      const changed = Buffer.from(pack);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(['tampered', 'unreadable']).toContain((await check(changed)).outcome);
    }
  });
});

test('a seal is no checkpoint: its text has no size', () => {
  const text = sealText(originOfPacks, '00');
  const note = noteText({ text, signatures: [signText(text, originOfPacks, key.private)] });
  expect(readElsewhere(note)).toBeUndefined();
});

test('a line that is no key is named', async () => {
  await expect(readTrust('log pod.example.com/log/F01+00000000+AAAA', nodeTools)).rejects.toThrow('not "log pod.');
  await expect(readTrust('group g any a b', nodeTools)).rejects.toThrow('"group g any a b"');
});
