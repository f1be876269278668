import { ByteReader } from './archive/byte-reader.ts';
import { readArchive } from './archive/read-archive.ts';
import { inflatesTo } from './document/inflates-to.ts';
import { compareCertificate } from './certificate-check.ts';
import { Fault, type Finding } from './fault.ts';
import { behindSums, containerType, members, sumLine } from './format.ts';
import { expectedFacts } from './log/expected.ts';
import { compareElsewhere, compareLog, compareSeal, compareWitnesses, readLog } from './log/log-checks.ts';
import type { Elsewhere } from './log/proof.ts';
import { noTrust, type Trust } from './log/trust.ts';
import { defaultLimits, Parts, type Limits } from './parts.ts';
import { compareBodies, compareFiles, compareLinks, findGaps, type Compared } from './record/record-checks.ts';
import type { PackRecord } from './record/record.ts';
import { compareStamps } from './stamp-check.ts';
import type { Tools } from './tools.ts';

/** The checks in their order. */
export const checkNames = [
  ...['container', 'digests', 'record', 'document', 'files', 'changes', 'links', 'gaps'],
  ...['seal', 'certificate', 'log', 'witness', 'elsewhere', 'stamps'],
] as const;
export type CheckName = (typeof checkNames)[number];

/**
 * `unknown`: valid, by a key that the reader does not trust. `open`: something lacks, and nothing is wrong. `absent`: the
 * pack has no such proof. `unchecked`: an earlier fault.
 */
export const checkStates = ['passed', 'failed', 'unknown', 'open', 'absent', 'unchecked'] as const;
export type CheckState = (typeof checkStates)[number];

export interface Check {
  readonly check: CheckName;
  readonly state: CheckState;
  /** Number of things that were compared. */
  readonly count: number;
  /** At most `mostFindings`. */
  readonly findings: readonly Finding[];
}

export const outcomes = ['proven', 'tampered', 'unreadable', 'unsigned', 'gaps'] as const;
/** `unsigned`: intact, and no known signer or no outside witness. The exit code is the position. */
export type Outcome = (typeof outcomes)[number];

export interface Verification {
  readonly outcome: Outcome;
  readonly checks: readonly Check[];
}

const mostFindings = 50;

/** How a pack is checked. */
export interface Settings {
  readonly limits?: Limits;
  /** Keys that do not come from the pack. */
  readonly trust?: Trust;
  /** A checkpoint that does not come from the pack. */
  readonly elsewhere?: Elsewhere;
}

/** Checks a pack in one pass from its first byte to its last. @throws what the source throws */
export async function verifyPack(
  bytes: AsyncIterable<Uint8Array>,
  tools: Tools,
  settings: Settings = {},
): Promise<Verification> {
  const notes = new Notes();
  const reader = new ByteReader(bytes);
  try {
    const parts = new Parts(tools.hashing, settings.limits ?? defaultLimits);
    await notes.attempt('container', () => readContainer(reader, parts));
    if (notes.stateOf('container') === 'passed') await checkParts(parts, notes, { tools, settings });
  } finally {
    await reader.close();
  }
  const checks = notes.list();
  return { outcome: outcomeOf(checks), checks };
}

/** @returns the number of members */
async function readContainer(reader: ByteReader, parts: Parts): Promise<number> {
  await readArchive(reader, (name) => parts.open(name));
  if (parts.type() !== containerType) throw new Fault('not-a-pack', members.type);
  for (const name of Object.values(members)) if (!parts.has(name)) throw new Fault('absent-member', name);
  return parts.count;
}

interface How {
  readonly tools: Tools;
  readonly settings: Settings;
}

async function checkParts(parts: Parts, notes: Notes, how: How): Promise<void> {
  const { hashing } = how.tools;
  await notes.attempt('digests', () => compareSums(parts));
  await notes.attempt('document', () => compareDocument(parts));
  let record: PackRecord | undefined;
  await notes.attempt('record', async () => {
    record = parts.record();
    return record.stops.length;
  });
  if (!record) return;
  notes.compared('files', compareFiles(record, await parts.digests()));
  notes.compared('changes', await compareBodies(record, hashing));
  notes.compared('links', await compareLinks(record, hashing));
  notes.compared('gaps', findGaps(record));
  await checkLog(parts, record, notes, how);
}

async function checkLog(parts: Parts, record: PackRecord, notes: Notes, { tools, settings }: How): Promise<void> {
  const { trust = noTrust, elsewhere } = settings;
  const log = await readLog(parts.logTexts(), { trust, tools });
  const sums = (await parts.digests()).get(members.sums)?.sha256 ?? '';
  notes.compared('seal', await compareSeal(parts.seal(), sums, log));
  const voucher = { certificates: trust.certificates, isSealed: notes.stateOf('seal') === 'passed' };
  await notes.tried('certificate', async () => {
    const signed = await parts.signedParts(tools);
    const stamped = { document: signed.document?.message, sums, response: parts.stamp() };
    notes.compared('stamps', await compareStamps(stamped, trust.certificates, tools));
    return compareCertificate(signed, voucher, tools);
  });
  notes.compared('log', await compareLog(log, expectedFacts(record.written, record.without.includes('names'))));
  notes.compared('witness', await compareWitnesses(log));
  notes.compared('elsewhere', elsewhere && (await compareElsewhere(log, elsewhere)));
}

/** The checks as far as they are done. */
class Notes {
  readonly #checks = new Map<CheckName, Check>();

  stateOf(name: CheckName): CheckState {
    return this.#checks.get(name)?.state ?? 'unchecked';
  }

  note(name: CheckName, { state, count = 0, findings = [] }: Partial<Check> & Pick<Check, 'state'>): void {
    this.#checks.set(name, { check: name, state, count, findings: findings.slice(0, mostFindings) });
  }

  /** @param compare returns the number of things that it has compared */
  attempt(name: CheckName, compare: () => Promise<number>): Promise<void> {
    return this.tried(name, async () => ({ count: await compare(), wrong: [], open: [] }));
  }

  /** @param compare returns undefined where the pack has no such part. @throws nothing but errors of the source */
  async tried(name: CheckName, compare: () => Promise<Compared | undefined>): Promise<void> {
    try {
      this.compared(name, await compare());
    } catch (error) {
      // An error of the source goes on.
      if (!(error instanceof Fault)) throw error;
      this.note(name, { state: 'failed', findings: [{ code: error.code, about: error.about }] });
    }
  }

  /** @param compared undefined where the pack has no such part */
  compared(name: CheckName, compared: Compared | undefined): void {
    if (!compared) return this.note(name, { state: 'absent' });
    const { count, wrong, open, unknown = [], facts = [] } = compared;
    const state = wrong.length > 0 ? 'failed' : unknown.length > 0 ? 'unknown' : open.length > 0 ? 'open' : 'passed';
    this.note(name, { state, count, findings: [...wrong, ...unknown, ...open, ...facts] });
  }

  list(): Check[] {
    return checkNames.map((check) => this.#checks.get(check) ?? { check, state: 'unchecked', count: 0, findings: [] });
  }
}

/** Checks without which a pack can be proven. */
const optional: readonly CheckName[] = ['certificate', 'elsewhere', 'stamps'];

/** Faults by which a file is no pack, or none that this program reads. */
const unreadable: readonly string[] = ['not-a-pack', 'format', 'too-large'];

function outcomeOf(checks: readonly Check[]): Outcome {
  const failed = checks.filter(({ state }) => state === 'failed');
  if (failed.length > 0)
    return failed.every(({ findings: [finding] }) => unreadable.includes(finding?.code ?? ''))
      ? 'unreadable'
      : 'tampered';
  const isUnsigned = ({ check, state }: Check): boolean =>
    (state === 'unknown' && check !== 'stamps') || (state === 'absent' && !optional.includes(check));
  if (checks.some(isUnsigned)) return 'unsigned';
  return checks.some(({ state }) => state === 'open') ? 'gaps' : 'proven';
}

/** `SHA256SUMS` has one line for every other member, in their order. */
async function compareSums(parts: Parts): Promise<number> {
  const lines = [...(await parts.digests())]
    .filter(([name]) => name !== members.sums && !behindSums.has(name))
    .map(([name, { sha256 }]) => sumLine(sha256, name));
  const given = parts.sums().split(/(?<=\n)/);
  const wrong = lines.find((line, i) => line !== given[i]);
  if (wrong !== undefined) throw new Fault('sums', wrong.slice(66).trim());
  if (given.length !== lines.length) throw new Fault('sums', members.sums);
  return lines.length;
}

async function compareDocument(parts: Parts): Promise<number> {
  if (!(await inflatesTo(parts.attachment(), parts.json()))) throw new Fault('pdf-differs', members.pdf);
  return 1;
}
