import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../server/src/mutations/item.ts';
import { members } from '../../server/verify/src/format.ts';
import { nodeTools } from '../../server/verify/src/node-tools.ts';
import { checkNames, checkStates, outcomes, verifyPack } from '../../server/verify/src/verify-pack.ts';
import { lineOf, outcomeWords } from '../../server/verify/src/words/words.ts';
import { faultCodes } from '../../server/verify/src/fault.ts';
import { archived, chainedPack, forged, found, replaced, statesOf, storedMember, verify } from './packs.ts';

let pack: Buffer;
let withheld: Buffer;
beforeAll(async () => {
  pack = await chainedPack();
  withheld = await chainedPack(['names', 'photos']);
});

describe('a pack as the server makes it', () => {
  test('is intact, and the signer is unknown', async () => {
    const verification = await verify(pack);
    expect(verification.outcome).toBe('unsigned');
    expect(statesOf(verification)).toEqual({
      container: 'passed',
      digests: 'passed',
      record: 'passed',
      document: 'passed',
      files: 'passed',
      changes: 'passed',
      links: 'passed',
      gaps: 'passed',
      seal: 'absent',
      certificate: 'absent',
      log: 'absent',
      witness: 'absent',
      elsewhere: 'absent',
      stamps: 'absent',
    });
    const counts = Object.fromEntries(verification.checks.map(({ check, count }) => [check, count]));
    expect(counts).toMatchObject({ container: 5, digests: 4, changes: 3, links: 2 });
  });

  test('is the same in parts of one byte', async () => {
    expect(await verify(pack, 1)).toEqual(await verify(pack));
  });

  test('without names and photos keeps its links', async () => {
    const { outcome, checks } = await verify(withheld);
    expect(outcome).toBe('unsigned');
    expect(checks.find(({ check }) => check === 'links')).toMatchObject({ state: 'passed', count: 2 });
    expect(checks.find(({ check }) => check === 'changes')).toMatchObject({ state: 'passed', count: 0 });
  });
});

test('a first item that follows another one is a broken link: a pack without names has no warning of it', async () => {
  const follows = (content: Map<string, Buffer>) =>
    replaced(content, members.json, '"prev_hash":null', `"prev_hash":"${'0'.repeat(64)}"`);
  const short = await verify(await forged(withheld, follows));
  expect([statesOf(short)['links'], found(short, 'links')]).toEqual(['open', ['link-unknown', 'link-unknown']]);
  expect(found(await verify(await forged(pack, follows)), 'links')).toEqual(['link', 'link']);
});

test('changes that are on record no more are a gap', async () => {
  const cut = await forged(pack, (content) =>
    replaced(content, members.json, '"missing":[', '"missing":[{"part":"record","what":"3 changes"},'),
  );
  expect([statesOf(await verify(cut))['gaps'], found(await verify(cut), 'gaps')]).toEqual(['open', ['change-gone']]);
});

describe('a forger who knows the format', () => {
  const outcomeOf = async (change: (content: Map<string, Buffer>) => void) => verify(await forged(pack, change));

  test('changes the text of a change: its hash says so', async () => {
    const verification = await outcomeOf((content) =>
      replaced(content, members.json, '\\"driver_comments\\":\\"2\\"', '\\"driver_comments\\":\\"9\\"'),
    );
    expect(verification.outcome).toBe('tampered');
    expect(found(verification, 'changes')).toEqual(['hash']);
    expect(found(verification, 'document')).toEqual(['pdf-differs']);
  });

  test('changes text and hash: the link of the next change says so', async () => {
    const verification = await outcomeOf((content) => {
      const [before, after] = ['2', '9'].map((comment) =>
        JSON.stringify({ args: { stop: { id: 1, updates: { driver_comments: comment } } } }),
      );
      if (before === undefined || after === undefined) throw new Error('two texts');
      const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
      replaced(content, members.json, quoted(before), quoted(after));
      replaced(content, members.json, sha256(before).toString('hex'), sha256(after).toString('hex'));
    });
    expect(found(verification, 'changes')).toEqual([]);
    expect(found(verification, 'links')).toEqual(['link']);
  });

  test('changes the state alone: the copy in the PDF says so', async () => {
    const verification = await outcomeOf((content) => replaced(content, members.json, 'Ana Gil', 'Eva Gil'));
    expect(verification.outcome).toBe('tampered');
    expect(found(verification, 'document')).toEqual(['pdf-differs']);
  });

  test('puts a member into the record twice: readers could differ', async () => {
    const verification = await outcomeOf((content) =>
      replaced(content, members.json, '"without":[]', '"without":[],"without":[]'),
    );
    expect(found(verification, 'record')).toEqual(['json-layout']);
  });

  test('appends a later table of objects to the PDF', async () => {
    const verification = await outcomeOf((content) => {
      const pdf = content.get(members.pdf) ?? Buffer.alloc(0);
      const end = /startxref\n(\d+)\n%%EOF\n*$/.exec(pdf.toString('latin1'))?.[1] ?? '';
      const update = `xref\n0 0\ntrailer\n<</Root 1 0 R /Prev ${end}>>\nstartxref\n${pdf.length}\n%%EOF\n`;
      content.set(members.pdf, Buffer.concat([pdf, Buffer.from(update)]));
    });
    expect(found(verification, 'document')).toEqual(['pdf']);
  });

  test('adds files, programs and paths', async () => {
    const stray = await outcomeOf((content) => content.set('files/AAAA.jpg', Buffer.from('x')));
    expect(found(stray, 'files')).toEqual(['file-stray']);
    for (const name of [
      'run.exe',
      '../evil',
      '/etc/passwd',
      'files/../../x',
      'files\\x',
      'pack.json/',
      'FILES/a',
      'a\u0000b',
    ]) {
      const verification = await outcomeOf((content) => content.set(name, Buffer.from('x')));
      expect([name, verification.outcome, found(verification, 'container')]).toEqual([name, 'tampered', ['name']]);
    }
  });

  test('withholds a text and does not say so', async () => {
    const verification = await outcomeOf((content) =>
      replaced(content, members.json, /"body":"(?:[^"\\]|\\.)*"/, '"body":null'),
    );
    expect(found(verification, 'changes')).toEqual(['body-withheld']);
  });
});

describe('hostile archives', () => {
  const type = storedMember(members.type, Buffer.from('application/vnd.etsi.asic-e+zip'));

  test('a member twice, a member after the sums, and none of those that must be there', async () => {
    const twice = await archived([
      type,
      storedMember(members.json, Buffer.from('{}')),
      storedMember(members.json, Buffer.from('[]')),
    ]);
    expect(found(await verify(twice), 'container')).toEqual(['duplicate']);
    const late = await archived([
      type,
      storedMember(members.sums, Buffer.from('')),
      storedMember(members.json, Buffer.from('[]')),
    ]);
    expect(found(await verify(late), 'container')).toEqual(['order']);
    const few = await archived([type]);
    expect(found(await verify(few), 'container')).toEqual(['absent-member']);
  });

  test('a compressed member is refused before a byte of it is unpacked', async () => {
    const bomb = deflateRawSync(Buffer.alloc(5_000_000));
    const stored = await archived([type, storedMember(members.json, bomb)]);
    // The head of the stored block is taken away: the deflated bytes follow the header.
    const at = stored.indexOf(bomb) - 5;
    const crafted = Buffer.concat([stored.subarray(0, at), stored.subarray(at + 5)]);
    expect(found(await verify(crafted), 'container')).toEqual(['compressed']);
  });

  test('bytes before, behind and between', async () => {
    const behind = Buffer.concat([pack, Buffer.from('x')]);
    expect(found(await verify(behind), 'container')).toEqual(['trailing']);
    expect((await verify(Buffer.concat([Buffer.from('MZ'), pack]))).outcome).toBe('unreadable');
    expect((await verify(Buffer.concat([pack, pack]))).outcome).toBe('tampered');
  });

  test('no pack at all is unreadable', async () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('PK'),
      Buffer.from('%PDF-1.7'),
      Buffer.alloc(1000),
      await archived([storedMember('pack.json', Buffer.from('{}'))]),
    ])
      expect((await verify(bytes)).outcome).toBe('unreadable');
    const later = await forged(pack, (content) => {
      replaced(content, members.json, 'tailgate-evidence/1', 'tailgate-evidence/2');
    });
    expect(found(await verify(later), 'record')).toEqual(['format']);
  });

  test('a record above the limit is not read into memory', async () => {
    const source = async function* () {
      yield pack;
    };
    const verification = await verifyPack(source(), nodeTools, { limits: { json: 100, tail: 1024 ** 2, log: 100 } });
    expect(verification.outcome).toBe('unreadable');
    expect(found(verification, 'container')).toEqual(['too-large']);
  });

  test('an error of the source is no finding', async () => {
    const broken = async function* () {
      yield pack.subarray(0, 100);
      throw new Error('the disk is gone');
    };
    await expect(verifyPack(broken(), nodeTools)).rejects.toThrow('the disk is gone');
  });
});

describe('one byte changed', () => {
  /** The changed byte, and whether the pack passes for whole. */
  async function passesWith(at: number, flip: number): Promise<boolean> {
    const changed = Buffer.from(pack);
    changed[at] = (changed[at] ?? 0) ^ flip;
    const { outcome } = await verify(changed);
    return outcome !== 'tampered' && outcome !== 'unreadable';
  }

  test('in the headers of the archive: every byte', async () => {
    const contents = [...contentRanges(pack)];
    const isContent = (at: number) => contents.some(([from, until]) => at >= from && at < until);
    const headers = [...pack.keys()].filter((at) => !isContent(at));
    expect(headers.length).toBeGreaterThan(500);
    const passed = [];
    for (const at of headers) if (await passesWith(at, 1 << (at % 8))) passed.push(at);
    expect(passed).toEqual([]);
  });

  test('in every member, and where the file is cut', async () => {
    const passed = [];
    for (const [from, until] of contentRanges(pack)) {
      const step = Math.max(1, Math.floor((until - from) / 25));
      for (let at = from; at < until; at += step) if (await passesWith(at, 1 << (at % 8))) passed.push(at);
    }
    expect(passed).toEqual([]);
    for (let length = 0; length < pack.length; length += Math.ceil(pack.length / 60))
      expect(['tampered', 'unreadable']).toContain((await verify(pack.subarray(0, length))).outcome);
  });
});

test('each state, finding and outcome has a sentence in both languages', () => {
  for (const language of ['en', 'es'] as const) {
    for (const outcome of outcomes) expect(outcomeWords(outcome, language).length).toBeGreaterThan(20);
    for (const check of checkNames)
      for (const state of checkStates) {
        const findings = faultCodes.map((code) => ({ code, about: 'ABOUT' }));
        const { text, mark, details } = lineOf({ check, state, count: 2, findings }, language);
        expect(text && mark).toBeTruthy();
        expect(details.every((detail) => detail.length > 20)).toBe(true);
      }
  }
});

/** The places of the contents of members; all other bytes are headers. */
function* contentRanges(archive: Buffer): Generator<[from: number, until: number]> {
  for (let at = 0; archive.readUInt32LE(at) === 0x0403_4b50;) {
    const begin = at + 30 + archive.readUInt16LE(at + 26);
    if (archive.readUInt16LE(at + 8) === 0) {
      at = begin + archive.readUInt32LE(at + 18);
      yield [begin, at];
      continue;
    }
    at = begin;
    for (let length = archive.readUInt16LE(at + 1); length > 0; length = archive.readUInt16LE(at + 1)) {
      yield [at + 5, at + 5 + length];
      at += 5 + length;
    }
    at += 5 + 16;
  }
}
