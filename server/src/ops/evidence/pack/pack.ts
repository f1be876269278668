import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { MissingBytes, type ReadFile } from '../../../assets/file-bytes.ts';
import {
  containerMembers,
  containerType,
  jsonEnd,
  jsonHead,
  jsonStop,
  keysText,
  leavesText,
  logMembers,
  manifestText,
  members,
  packFormat,
  stampMember,
  sumLine,
  type MemberSum,
  type Withheld,
} from '../../../../verify/src/format.ts';
import type { SealKey } from '../certificate/seal-key.ts';
import { signDigest, signStamped } from '../certificate/sign.ts';
import type { StampDigest } from '../certificate/stamp.ts';
import type { EvidenceFile, StopEvidence } from '../evidence.ts';
import { policyText, sealOf, type LogProofs } from '../log/log-proofs.ts';
import { renderInWorker } from '../pdf/in-worker.ts';
import type { Cover } from '../pdf/render.ts';
import { signatureRoom } from '../pdf/signature.ts';
import type { Evidence, Scope } from '../read-evidence.ts';
import { withDamaged } from '../stop-evidence.ts';
import { nameOf, titleOf } from './names.ts';
import { verifyText } from './verify-text.ts';
import { wholeMember, zip, type Member } from './zip.ts';

/** The content of a pack. */
export interface PackInput {
  readonly scope: Scope;
  readonly without: readonly Withheld[];
  readonly evidence: Evidence;
  /** Signs document and container; undefined where this server has no certificate. */
  readonly sealing?: Sealing | undefined;
}

/** How a pack is signed. */
export interface Sealing {
  readonly key: SealKey;
  readonly at: Date;
  /** The authority for time stamps, where the server has one. */
  readonly stamp?: StampDigest | undefined;
}

/** Larger pictures are files of the pack, and the document names them. */
const maxPictureBytes = 10 * 1024 * 1024;
const shownTypes: readonly string[] = ['image/jpeg', 'image/jpg', 'image/png'];

/**
 * The bytes of a pack. One picture is in memory at a time, and nothing is written to a disk. The same evidence has the
 * same bytes, but for the log and the signatures.
 */
export function packBytes(readFile: ReadFile, input: PackInput): AsyncGenerator<Uint8Array> {
  return zip(membersOf(readFile, input));
}

async function* membersOf(readFile: ReadFile, input: PackInput): AsyncGenerator<Member> {
  const { scope, without, evidence, sealing } = input;
  const sums: MemberSum[] = [];
  /** The digest of a member goes into the last one. */
  const summed = (member: Member): Member => ({ ...member, bytes: digested(member, sums) });
  yield summed(wholeMember(members.type, containerType));

  const damaged = new Map<string, string>();
  const included = new Set<string>();
  for (const file of evidence.stops.flatMap(({ files }) => files)) {
    if (file.member === null || included.has(file.asset_id) || damaged.has(file.asset_id)) continue;
    const checked = await checkedFile(readFile, evidence, file);
    if ('why' in checked) damaged.set(file.asset_id, checked.why);
    else {
      included.add(file.asset_id);
      yield summed({ name: file.member, ...checked });
    }
  }

  const stops = async function* (): AsyncGenerator<StopEvidence> {
    for (const stop of evidence.stops) yield withDamaged(stop, damaged);
  };
  const head = headOf(input);
  const { log } = evidence;
  const isWitnessed = log?.isWitnessed ?? false;
  const pages = { stops: stops(), jsonHead: head, isWitnessed };
  yield summed({ name: members.pdf, bytes: documentBytes(readFile, input, pages) });
  yield summed({ name: members.json, bytes: jsonOf(head, stops()) });
  if (log) for (const member of logMembersOf(log)) yield summed(member);
  const proofs = {
    hasLog: log !== undefined,
    isWitnessed,
    isSealed: log?.sealer !== undefined,
    isSigned: sealing !== undefined,
    isStamped: sealing?.stamp !== undefined,
    hasText: typeof evidence.stops[0]?.facts[0]?.body === 'string',
  };
  yield summed(wholeMember(members.verify, verifyText(nameOf(scope, without), proofs)));
  const sumsText = sums.map(({ name, sha256 }) => sumLine(sha256, name)).join('');
  yield summed(wholeMember(members.sums, sumsText));
  if (log?.sealer) yield summed(wholeMember(logMembers.seal, sealOf(log.sealer, digestOf(sumsText).toString('hex'))));
  const stamp = await sealing?.stamp?.(new Uint8Array(digestOf(sumsText)));
  if (stamp) yield summed(wholeMember(stampMember, stamp.response));
  if (sealing) yield* signatureMembers(sums, sealing);
}

/** The pages of a document, and what it carries. */
type Pages = Pick<Cover, 'jsonHead' | 'checkpoint' | 'isWitnessed'> & { readonly stops: AsyncIterable<StopEvidence> };

/** The document of a pack, or one that goes out alone. */
export function documentBytes(
  readFile: ReadFile,
  input: PackInput,
  { stops, ...carried }: Pages,
): AsyncGenerator<Uint8Array> {
  const { evidence, sealing } = input;
  const picture = (file: EvidenceFile): Promise<Uint8Array | undefined> => pictureOf(readFile, evidence, file);
  const sign = sealing && { sign: signerOf(sealing) };
  return renderInWorker({ ...coverOf(input), ...carried }, { stops, picture, ...sign });
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const signerOf =
  ({ key, stamp }: Sealing) =>
  (digest: Uint8Array): Promise<Uint8Array> =>
    signStamped({ key, stamp }, digest, signatureRoom);

/** The signature of the container: all members but the first one, which only names its type. */
function* signatureMembers(sums: readonly MemberSum[], { key, at }: Sealing): Generator<Member> {
  const manifest = manifestText(sums.filter(({ name }) => name !== members.type));
  yield wholeMember(containerMembers.manifest, manifest);
  yield wholeMember(containerMembers.signature, signDigest(key, new Uint8Array(digestOf(manifest)), at));
}

function* logMembersOf(log: LogProofs): Generator<Member> {
  yield wholeMember(logMembers.leaves, leavesText(log.leaves));
  for (const [name, text] of log.proofs) yield wholeMember(name, text);
  yield wholeMember(logMembers.growths, log.growths.join(''));
  yield wholeMember(logMembers.keys, keysText(log.keys));
  yield wholeMember(logMembers.policy, policyText(log));
}

async function* digested({ name, bytes }: Member, sums: MemberSum[]): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const part of bytes) {
    hash.update(part);
    yield part;
  }
  sums.push({ name, sha256: hash.digest('hex') });
}

/**
 * Reads a file once before it goes into the pack: its header needs size and CRC, and bytes that are not those of the
 * receipt never pass for them.
 */
export async function checkedFile(
  readFile: ReadFile,
  { stored }: Evidence,
  { asset_id, sha256, size }: EvidenceFile,
): Promise<Pick<Member, 'bytes' | 'known'> | { readonly why: string }> {
  const file = stored.get(asset_id);
  if (!file) return { why: 'Its bytes are not stored.' };
  const hash: Hash = createHash('sha256');
  let crc = 0;
  try {
    for await (const part of readFile(file)) {
      hash.update(part);
      crc = crc32(part, crc);
    }
  } catch (error) {
    if (error instanceof MissingBytes) return { why: 'A part of its bytes is no longer stored.' };
    throw error;
  }
  if (hash.digest('hex') !== sha256) return { why: 'Its stored bytes are not those of its receipt.' };
  return { bytes: readFile(file), known: { size, crc } };
}

async function pictureOf(
  readFile: ReadFile,
  { stored }: Evidence,
  file: EvidenceFile,
): Promise<Uint8Array | undefined> {
  const asset = stored.get(file.asset_id);
  if (!asset || !shownTypes.includes(file.mime) || file.size > maxPictureBytes) return undefined;
  return buffer(readFile(asset));
}

const headOf = ({ scope, without }: Pick<PackInput, 'scope' | 'without'>): string =>
  jsonHead({ format: packFormat, scope, without });

/** One stop a line. */
async function* jsonOf(head: string, stops: AsyncIterable<StopEvidence>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head);
  let position = 0;
  for await (const stop of stops) yield Buffer.from(jsonStop(stop, position++));
  yield Buffer.from(jsonEnd);
}

function coverOf(input: PackInput): Omit<Cover, 'jsonHead' | 'checkpoint' | 'isWitnessed'> {
  const { scope, without, evidence } = input;
  const { stops } = evidence;
  return {
    title: titleOf(scope),
    without,
    at: latest(stops),
    sealedAt: input.sealing?.at.toISOString(),
    contents: stops.map(({ place, summary }) => [
      place.week_end,
      place.route_id,
      String(place.stop_id),
      summary.customer,
      summary.statusWords,
    ]),
  };
}

/** The time of the latest fact: a document of equal facts has equal bytes. */
function latest(stops: readonly StopEvidence[]): string {
  const times = stops.flatMap(({ facts, files, acts }) => [
    ...facts.map(({ received_at }) => received_at),
    ...files.flatMap(({ received_at }) => received_at ?? []),
    ...acts.map(({ at }) => at),
  ]);
  return times.toSorted().at(-1) ?? new Date(0).toISOString();
}
