import { createPrivateKey, generateKeyPairSync, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addCheckpointText,
  checkpointText,
  cosign,
  cosignedAt,
  parseAddCheckpoint,
  parseCheckpoint,
  proofText,
  readCheckpoint,
} from '../../../server/src/tlog/format/checkpoint.ts';
import {
  COSIGNATURE,
  ED25519,
  isSignedByAny,
  keyIdOf,
  keyText,
  noteText,
  parseKey,
  parseNote,
  parseSignature,
  publicBytes,
  signatureLine,
  signText,
  type NoteKey,
} from '../../../server/src/tlog/format/note.ts';

/** The key of the tests of golang.org/x/mod/sumdb/note, and the note that it signs there. */
const peter = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const peterSeed = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);
const peterText = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.
`;
const peterNote = `${peterText}
— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;
/** PKCS #8 of an Ed25519 seed (RFC 8410). */
const privateKeyOf = (seed: Buffer) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });

/** The example of c2sp.org/tlog-cosignature. */
const witnessed = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`;

const newKey = (name: string, algorithm: NoteKey['algorithm'] = ED25519) => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const note: NoteKey = { name, algorithm, key: publicBytes(privateKey) };
  return { privateKey, note };
};

describe('signed notes', () => {
  test('are those of Go, byte for byte', () => {
    const key = privateKeyOf(peterSeed);
    expect(noteText({ text: peterText, signatures: [signText(peterText, 'PeterNeumann', key)] })).toBe(peterNote);
    expect(keyText({ name: 'PeterNeumann', algorithm: ED25519, key: publicBytes(key) })).toBe(peter);
    expect(isSignedByAny(parseNote(peterNote), [parseKey(peter)])).toBe(true);
  });

  test('with another text, key or signature have no valid signature', () => {
    const key = parseKey(peter);
    const forged = peterNote.replace('think', 'thinl');
    expect(isSignedByAny(parseNote(forged), [key])).toBe(false);
    expect(isSignedByAny(parseNote(peterNote), [newKey('PeterNeumann').note])).toBe(false);
    expect(isSignedByAny(parseNote(peterNote), [])).toBe(false);
    const good = parseNote(peterNote);
    const [signature] = good.signatures;
    const bad = {
      ...good,
      signatures: [
        ...good.signatures,
        { ...parseSignature(signatureLine(signature ?? fail())), bytes: Buffer.alloc(64) },
      ],
    };
    expect(isSignedByAny(bad, [key])).toBe(false);
  });

  test.each([
    ['no blank line', 'text\n— a AAAAAAA=\n', 'blank line'],
    ['no newline at the end', peterNote.trimEnd(), 'newline'],
    ['a control character', peterNote.replace('think', 'th\u0007nk'), 'control character'],
    ['a carriage return', peterNote.replace(',\n', ',\r\n'), 'control character'],
    ['a signature that is not base64', peterNote.replace('x08go', '!08go'), 'not a signature'],
    ['a signature without padding', peterNote.replace('=\n', '\n'), 'not a signature'],
    ['a name with a plus', peterNote.replace('— Peter', '— P+ter'), 'not a signature'],
    ['another dash', peterNote.replace('—', '-'), 'not a signature'],
  ])('refuse %s', (_, message, reason) => {
    expect(() => parseNote(message)).toThrow(reason);
  });

  test.each([
    ['PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'hash of the key'],
    ['PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==', 'not an Ed25519 key'],
    ['PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'not an Ed25519 key'],
    ['PeterNeumann', 'name+hash+base64'],
  ])('refuse the key %s', (text, reason) => {
    expect(() => parseKey(text)).toThrow(reason);
  });

  test('keys of any name read back', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-*,-~]{1,40}$/), (name) => {
        const { note } = newKey(name);
        expect(parseKey(keyText(note))).toEqual(note);
      }),
      { numRuns: 20 },
    );
  });
});

describe('checkpoints', () => {
  test('read and write the example of the specification', () => {
    const { note, checkpoint } = readCheckpoint(witnessed);
    expect(checkpoint).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163 });
    expect(checkpointText(checkpoint)).toBe(note.text);
    expect(noteText(note)).toBe(witnessed);
    expect(note.signatures.map(({ name }) => name)).toEqual(['example.com/behind-the-sofa', 'witness.example.com/w1']);
  });

  test.each([
    ['a size with a zero in front', 'a\n01\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n', 'size'],
    ['a negative size', 'a\n-1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n', 'size'],
    ['a size beyond exact numbers', 'a\n9007199254740993\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n', 'size'],
    ['a short root', 'a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jx\n', 'root'],
    ['no origin', '\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n', 'origin'],
    ['an empty line', 'a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n', 'empty line'],
  ])('refuse %s', (_, text, reason) => {
    expect(() => parseCheckpoint(text)).toThrow(reason);
  });

  test('permit extension lines', () => {
    expect(parseCheckpoint('a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\nmore\n').size).toBe(1);
  });
});

describe('cosignatures', () => {
  const text = readCheckpoint(witnessed).note.text;

  test('sign the two lines of the specification before the checkpoint', () => {
    const { privateKey, note } = newKey('witness.example.com/w1', COSIGNATURE);
    const signature = cosign(text, note.name, privateKey, new Date(1_679_315_147_900));
    const message = `cosignature/v1\ntime 1679315147\n${text}`;
    expect(signature.bytes.readBigUInt64BE()).toBe(1_679_315_147n);
    expect(verify(null, Buffer.from(message), privateKey, signature.bytes.subarray(8))).toBe(true);
    expect(signature.keyId).toBe(keyIdOf(note));
    expect(cosignedAt(note, text, parseSignature(signatureLine(signature)))).toEqual(new Date(1_679_315_147_000));
  });

  test('of another text, time or key are invalid', () => {
    const { privateKey, note } = newKey('w', COSIGNATURE);
    const signature = cosign(text, 'w', privateKey, new Date(1_679_315_147_000));
    const later = Buffer.from(signature.bytes);
    later.writeBigUInt64BE(1_679_315_148n);
    expect(cosignedAt(note, `${text}x\n`, signature)).toBeUndefined();
    expect(cosignedAt(note, text, { ...signature, bytes: later })).toBeUndefined();
    expect(cosignedAt(newKey('w', COSIGNATURE).note, text, signature)).toBeUndefined();
    expect(cosignedAt({ ...note, algorithm: ED25519 }, text, signature)).toBeUndefined();
    expect(cosignedAt(note, text, { ...signature, bytes: signature.bytes.subarray(0, 8) })).toBeUndefined();
  });
});

describe('requests to a witness', () => {
  test('read back, with and without a proof', () => {
    for (const lines of [0, 1, 63]) {
      const request = {
        oldSize: lines,
        proof: Array.from({ length: lines }, (_, at) => Buffer.alloc(32, at)),
        checkpoint: witnessed,
      };
      expect(parseAddCheckpoint(addCheckpointText(request))).toEqual(request);
    }
  });

  test.each([
    ['old 01\n\nx', 'first line'],
    ['size 1\n\nx', 'first line'],
    ['old 1\nAAAA\n\nx', 'not a hash'],
    [`old 1\n${'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n'.repeat(64)}\nx`, 'at most 63'],
    ['old 1\nx', 'empty line'],
  ])('refuse %j', (body, reason) => {
    expect(() => parseAddCheckpoint(body)).toThrow(reason);
  });

  test('a proof of an entry has the lines of the specification', () => {
    const hash = Buffer.alloc(32).toString('base64');
    expect(proofText(7, [Buffer.alloc(32)], witnessed)).toBe(
      `c2sp.org/tlog-proof@v1\nindex 7\n${hash}\n\n${witnessed}`,
    );
    expect(proofText(0, [], witnessed)).toBe(`c2sp.org/tlog-proof@v1\nindex 0\n\n${witnessed}`);
  });
});

function fail(): never {
  throw new Error('the note has no signature');
}
