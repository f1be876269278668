import type { Sink } from './archive/read-archive.ts';
import { Collected, TailWindow } from './collected.ts';
import { placedMessage, type SignedParts } from './certificate-check.ts';
import { attachmentOf } from './document/attachment.ts';
import { signatureOf } from './document/document-signature.ts';
import { Fault } from './fault.ts';
import { containerMembers, logMembers, members, stampMember } from './format.ts';
import type { Hash, Hashing } from './hashing.ts';
import type { MemberDigest } from './record/record-checks.ts';
import { readRecord, type PackRecord } from './record/record.ts';
import { SignedHash } from './signed-hash.ts';
import type { Tools } from './tools.ts';

/** The most that is held in memory. A larger pack is `unreadable`. */
export interface Limits {
  /** Of `pack.json`, in bytes. */
  readonly json: number;
  /** Of the end of the document, which contains a copy of `pack.json`. */
  readonly tail: number;
  /** Of the members of the folder `log`, together. */
  readonly log: number;
}

export const defaultLimits: Limits = { json: 64 * 1024 ** 2, tail: 64 * 1024 ** 2, log: 64 * 1024 ** 2 };
/** 20,000 lines of digest and name. */
const maxSums = 4 * 1024 ** 2;
const maxManifest = 8 * 1024 ** 2;
const maxSeal = 100_000;

/** The members as they come: their digests, and the bytes of those that are read. */
export class Parts {
  readonly #hashing: Hashing;
  readonly #limits: Limits;
  readonly #hashes = new Map<string, { readonly hash: Hash; size: number }>();
  readonly #kept = new Map<string, Collected>();
  #logBytes = 0;
  readonly #document: TailWindow;
  readonly #signed: SignedHash;
  #digests: Promise<ReadonlyMap<string, MemberDigest>> | undefined;

  constructor(hashing: Hashing, limits: Limits) {
    this.#hashing = hashing;
    this.#limits = limits;
    this.#document = new TailWindow(limits.tail);
    this.#signed = new SignedHash(hashing);
  }

  get count(): number {
    return this.#hashes.size;
  }

  has(name: string): boolean {
    return this.#hashes.has(name);
  }

  open(name: string): Sink {
    const member = { hash: this.#hashing(), size: 0 };
    this.#hashes.set(name, member);
    const kept = this.#keeper(name);
    return (bytes) => {
      member.hash.update(bytes);
      member.size += bytes.length;
      kept?.add(bytes);
      if (name === members.pdf) this.#signed.add(bytes);
      if (name.startsWith('log/')) this.#countLog(name, bytes.length);
    };
  }

  #countLog(name: string, bytes: number): void {
    this.#logBytes += bytes;
    if (this.#logBytes > this.#limits.log) throw new Fault('too-large', name);
  }

  #keeper(name: string): Collected | TailWindow | undefined {
    if (name === members.pdf) return this.#document;
    const { json, log } = this.#limits;
    const fixed: Readonly<Record<string, number>> = {
      [members.type]: 100,
      [members.json]: json,
      [members.sums]: maxSums,
      [logMembers.seal]: maxSeal,
      [containerMembers.manifest]: maxManifest,
      [containerMembers.signature]: maxSeal,
      [stampMember]: maxSeal,
    };
    const most = name.startsWith('log/') ? log : fixed[name];
    if (most === undefined) return undefined;
    const kept = new Collected(name, most);
    this.#kept.set(name, kept);
    return kept;
  }

  type(): string {
    return this.#text(members.type);
  }

  sums(): string {
    return this.#text(members.sums);
  }

  record(): PackRecord {
    return readRecord(this.#text(members.json));
  }

  json(): Uint8Array {
    return this.#kept.get(members.json)?.whole() ?? new Uint8Array(0);
  }

  /** The texts of the members of the folder `log`, by member. */
  logTexts(): ReadonlyMap<string, string> {
    const names = [...this.#kept.keys()].filter((name) => name.startsWith('log/'));
    return new Map(names.map((name) => [name, this.#text(name)]));
  }

  /** The signed note behind `SHA256SUMS`; undefined where there is none. */
  seal(): string | undefined {
    return this.has(logMembers.seal) ? this.#text(logMembers.seal) : undefined;
  }

  /** The answer of an authority for `SHA256SUMS`; undefined where there is none. */
  stamp(): Uint8Array | undefined {
    return this.#kept.get(stampMember)?.whole();
  }

  /** The parts that a certificate has signed. Called once. @throws Fault */
  async signedParts(tools: Tools): Promise<SignedParts> {
    const own: readonly string[] = Object.values(containerMembers);
    const sums = [...(await this.digests())].map(([name, { sha256 }]) => ({ name, sha256 }));
    const place = signatureOf(this.#document.tail());
    const digest = place && (await this.#signed.without(place));
    if (place && digest === undefined) throw new Fault('pdf-seal', String(place.holeAt));
    return {
      sums: sums.filter(({ name }) => !own.includes(name)),
      manifest: this.has(containerMembers.manifest) ? this.#text(containerMembers.manifest) : undefined,
      signature: this.#kept.get(containerMembers.signature)?.whole(),
      document:
        place && digest !== undefined ? { message: await placedMessage(place.bytes, tools), digest } : undefined,
    };
  }

  /** The compressed copy of `pack.json` in the document. */
  attachment(): Uint8Array {
    return attachmentOf(this.#document.tail(), members.json);
  }

  /** By member, in their order. */
  digests(): Promise<ReadonlyMap<string, MemberDigest>> {
    this.#digests ??= (async () => {
      const digests = new Map<string, MemberDigest>();
      for (const [name, { hash, size }] of this.#hashes) digests.set(name, { sha256: await hash.digest(), size });
      return digests;
    })();
    return this.#digests;
  }

  #text(name: string): string {
    const bytes = this.#kept.get(name)?.whole() ?? new Uint8Array(0);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new Fault('json', name);
    }
  }
}
