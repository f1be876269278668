import type { Finding } from '../fault.ts';
import { hashOf, type Hashing } from '../hashing.ts';
import { objectOf, parsed } from '../json.ts';
import type { Fact, FileRecord, PackRecord, StopRecord } from './record.ts';

// The checks of `pack.json`: against itself, and against the files beside it.

/** Findings, and the number of things that were compared. */
export interface Compared {
  readonly count: number;
  readonly wrong: readonly Finding[];
  readonly open: readonly Finding[];
  /** Keys that the reader does not trust. */
  readonly unknown?: readonly Finding[];
  /** Information for the reader where nothing is wrong. */
  readonly facts?: readonly Finding[];
}

/** A member of the archive. */
export interface MemberDigest {
  readonly sha256: string;
  readonly size: number;
}

/** Each named file is the one of its receipt, and no other file is there. */
export function compareFiles({ stops }: PackRecord, digests: ReadonlyMap<string, MemberDigest>): Compared {
  const wrong: Finding[] = [];
  const named = new Set<string>();
  for (const { member, sha256, size, state } of stops.flatMap(({ files }) => files)) {
    if (member === null) continue;
    named.add(member);
    const found = digests.get(member);
    if (!found) wrong.push({ code: 'file-absent', about: member });
    else if (state !== 'here' || found.sha256 !== sha256 || found.size !== size)
      wrong.push({ code: 'file-differs', about: member });
  }
  for (const name of digests.keys())
    if (name.startsWith('files/') && !named.has(name)) wrong.push({ code: 'file-stray', about: name });
  return { count: named.size, wrong, open: [] };
}

/** The text of each change has its hash. */
export async function compareBodies({ stops, without }: PackRecord, hashing: Hashing): Promise<Compared> {
  const wrong: Finding[] = [];
  const facts = stops.flatMap((stop) => stop.facts);
  for (const { id, hash, body } of facts) {
    if (body === null) {
      if (!without.includes('names')) wrong.push({ code: 'body-withheld', about: id });
      continue;
    }
    if ((await hashOf(hashing, new TextEncoder().encode(body))) !== hash) wrong.push({ code: 'hash', about: id });
    else if ((objectOf(parsed(body))['id'] ?? id) !== id) wrong.push({ code: 'body-id', about: id });
  }
  return { count: facts.filter(({ body }) => body !== null).length, wrong, open: [] };
}

/**
 * Each change names the seal of the item before it in its queue. Items of other stops lie between: a link is compared
 * where the pack has both of its ends.
 */
export async function compareLinks({ stops }: PackRecord, hashing: Hashing): Promise<Compared> {
  const places = new Map<string, Fact>();
  const [wrong, open]: [Finding[], Finding[]] = [[], []];
  for (const fact of stops.flatMap(({ facts }) => facts)) {
    if (fact.queue === null || fact.seq === null) continue;
    const place = `${fact.queue}/${fact.seq}`;
    if (places.has(place)) wrong.push({ code: 'place-twice', about: fact.id });
    places.set(place, fact);
  }
  let count = 0;
  for (const { id, queue, seq, prevHash, isBroken, body } of places.values()) {
    // The server has noted a broken link as a warning. A pack without names has no warnings.
    const isNoted = isBroken || body === null;
    const broken = (): void =>
      void (isNoted ? open : wrong).push({ code: isNoted ? 'link-unknown' : 'link', about: id });
    if (seq === 1 && prevHash !== null) broken();
    const before = places.get(`${queue}/${(seq ?? 0) - 1}`);
    if (!before) continue;
    count += 1;
    if (prevHash === null) open.push({ code: 'link-unknown', about: id });
    else if ((await linkOf(before, hashing)) !== prevHash) broken();
  }
  return { count, wrong, open };
}

/** The seal of an item (protocol.md, "Sealing"). */
function linkOf({ hash, prevHash, seq }: Fact, hashing: Hashing): Promise<string> {
  const previous = prevHash === null ? 'null' : `"${base64Url(prevHash)}"`;
  const text = `{"hash":"${base64Url(hash)}","prev_hash":${previous},"seq":${seq}}`;
  return hashOf(hashing, new TextEncoder().encode(text));
}

const base64Url = (digest: string): string =>
  btoa((digest.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** Parts that the pack names and does not have, other than on request. */
export function findGaps({ stops, without }: PackRecord): Compared {
  const isWithheld = ({ label, state }: FileRecord): boolean =>
    state === 'here' && (without.includes('photos') || (label === 'Signature' && without.includes('names')));
  const gapsOf = ({ place, files, waiting, isCut }: StopRecord): Finding[] => [
    ...files
      .filter((file) => file.member === null && !isWithheld(file))
      .map(({ label, id }): Finding => ({ code: 'file-missing', about: `${label} (${id})` })),
    ...waiting.map((about): Finding => ({ code: 'change-waits', about })),
    ...(isCut ? [{ code: 'change-gone' as const, about: place }] : []),
  ];
  return { count: stops.length, wrong: [], open: stops.flatMap(gapsOf) };
}
