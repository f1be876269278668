import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { linkText } from '@tailgate/sync-protocol';
import { sha256 } from '../../server/src/mutations/item.ts';
import type { ReadFile } from '../../server/src/assets/file-bytes.ts';
import { packBytes, type Sealing } from '../../server/src/ops/evidence/pack/pack.ts';
import { wholeMember, zip, type Member } from '../../server/src/ops/evidence/pack/zip.ts';
import type { StopEvidence } from '../../server/src/ops/evidence/evidence.ts';
import type { LogProofs } from '../../server/src/ops/evidence/log/log-proofs.ts';
import { stopEvidence, type Seal } from '../../server/src/ops/evidence/stop-evidence.ts';
import { logMembers, members, sumLine, type Withheld } from '../../server/verify/src/format.ts';
import { nodeTools } from '../../server/verify/src/node-tools.ts';
import { verifyPack, type CheckName, type Settings, type Verification } from '../../server/verify/src/verify-pack.ts';
import { mutationOf, readingsOf } from '../server/ops/evidence-fixture.ts';
import { summarized } from '../server/mail/summarized.ts';
import { unzipped } from '../server/ops/unzipped.ts';

// Packs for the tests of the verifier.

async function* partsOf(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** @param length of the parts in which the bytes come */
export const verify = (bytes: Uint8Array, length = 65_536, settings: Settings = {}): Promise<Verification> =>
  verifyPack(partsOf(bytes, length), nodeTools, settings);

/** The codes that a check has found. */
export const found = ({ checks }: Verification, name: CheckName): string[] =>
  checks.find(({ check }) => check === name)?.findings.map(({ code }) => code) ?? [];

export const statesOf = ({ checks }: Verification): Record<string, string> =>
  Object.fromEntries(checks.map(({ check, state }) => [check, state]));

/** The pack names no file, so nothing is read. */
const withoutFiles: ReadFile = () => {
  throw new Error('the pack has no files');
};

/** The evidence of one stop with three changes of one phone, sealed as a phone seals them. */
export function chainedStop(without: readonly Withheld[] = []): StopEvidence {
  const mutations = [1, 2, 3].map((n) =>
    mutationOf(n, { args: { stop: { id: 1, updates: { driver_comments: `${n}` } } } }),
  );
  const seals = new Map<string, Seal>();
  let before: Buffer | null = null;
  for (const { id, body, seq } of mutations) {
    const hash = sha256(body);
    seals.set(id, { hash: hash.toString('hex'), prev_hash: before?.toString('hex') ?? null });
    const previous: string | null = before?.toString('base64url') ?? null;
    before = sha256(linkText(hash.toString('base64url'), previous, seq ?? 0));
  }
  const { result, ...stop } = summarized({ updates: { status: 'D', store_emp_name: 'Ana Gil' } });
  const [{ client_id: client, seq } = { client_id: null, seq: null }] = mutations;
  const by = result.by?.map((stamp) => ({ ...stamp, client: client ?? '', seq: seq ?? 0 }));
  const readings = readingsOf({ ...stop, result: { ...result, by } }, { history: { mutations }, seals });
  return stopEvidence(readings, new Set(without));
}

/** @param log the proofs; none by default. @param sealing signs document and container; none by default */
export async function chainedPack(
  without: readonly Withheld[] = [],
  log?: LogProofs,
  sealing?: Omit<Sealing, 'at'>,
): Promise<Buffer> {
  const stop = chainedStop(without);
  const route = { facility: stop.place.facility, id: stop.place.route_id, week_end: stop.place.week_end };
  const scope = { kind: 'stop', route, stop: stop.place.stop_id } as const;
  const evidence = { stops: [stop], stored: new Map(), log };
  const signed = sealing && { ...sealing, at: new Date('2026-11-20T18:00:00Z') };
  return buffer(packBytes(withoutFiles, { scope, without, evidence, sealing: signed }));
}

/** The archive of a forger who knows the format: headers, CRCs and SHA256SUMS fit the changed members. */
export async function forged(pack: Buffer, change: (content: Map<string, Buffer>) => void): Promise<Buffer> {
  const content = unzipped(pack);
  const seal = content.get(logMembers.seal);
  content.delete(members.sums);
  content.delete(logMembers.seal);
  change(content);
  const sums = [...content].map(([name, bytes]) => sumLine(digest(bytes), name)).join('');
  const list = [...content].map(([name, bytes]) => storedMember(name, bytes));
  return archived([...list, wholeMember(members.sums, sums), ...(seal ? [storedMember(logMembers.seal, seal)] : [])]);
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const storedMember = (name: string, bytes: Buffer): Member => ({ name, bytes: [bytes] });

export async function archived(list: readonly Member[]): Promise<Buffer> {
  const each = async function* () {
    yield* list;
  };
  return buffer(zip(each()));
}

/** Replaces a text in a member. */
export function replaced(content: Map<string, Buffer>, name: string, from: string | RegExp, to: string): void {
  const text = String(content.get(name));
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${name} does not contain ${String(from)}`);
  content.set(name, Buffer.from(changed));
}
