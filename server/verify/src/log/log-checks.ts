import type { Finding } from '../fault.ts';
import { keysText, leavesText, logMembers, proofMember, sealText, type LogKeyText } from '../format.ts';
import { listOf, objectOf, parsed } from '../json.ts';
import type { Compared } from '../record/record-checks.ts';
import type { Tools } from '../tools.ts';
import { isEqual, utf8 } from './bytes.ts';
import type { Expected } from './expected.ts';
import { differences, isUnopened, readLeaf, type ReadLeaf } from './leaf-checks.ts';
import { cosignedBy, ofLog, readKey, readNote, signedBy, type Note, type NoteKey } from './note.ts';
import { readGrowths, readProof, type Checkpoint, type Elsewhere, type Growth, type Proof } from './proof.ts';
import { isConsistent, isIncluded, leafHash } from './tree.ts';
import type { Trust } from './trust.ts';

// The checks of a pack's proofs. A fact is proven by its leaf, the leaf by its proof, the proof by its checkpoint, and the
// checkpoint by its signatures.

/** The members of the folder `log`. */
export interface LogRecord {
  readonly leaves: readonly ReadLeaf[];
  readonly proofs: ReadonlyMap<string, Proof>;
  /** The one checkpoint of each log, by origin. */
  readonly checkpoints: ReadonlyMap<string, Checkpoint>;
  readonly growths: readonly Growth[];
  /** Keys by the pack's own claim. */
  readonly claimed: readonly NoteKey[];
  readonly trust: Trust;
  readonly tools: Tools;
  /** Whether the pack has such members at all. */
  readonly isThere: boolean;
  readonly wrong: readonly Finding[];
}

/** @param texts by member */
export async function readLog(
  texts: ReadonlyMap<string, string>,
  { trust, tools }: Pick<LogRecord, 'trust' | 'tools'>,
): Promise<LogRecord> {
  const wrong: Finding[] = [];
  const refuse = (code: Finding['code'], about: string): void => void wrong.push({ code, about });
  const rest = new Map(texts);
  const take = (name: string): string => {
    const text = rest.get(name) ?? '';
    rest.delete(name);
    return text;
  };
  const isThere = texts.size > 0;
  const leaves = readLeaves(take(logMembers.leaves));
  const keys = await readKeys(take(logMembers.keys), tools);
  const growths = readGrowths(take(logMembers.growths));
  take(logMembers.policy);
  if (isThere && !leaves) refuse('log-layout', logMembers.leaves);
  if (isThere && !keys) refuse('log-layout', logMembers.keys);
  if (!growths) refuse('log-layout', logMembers.growths);
  const proofs = new Map<string, Proof>();
  const checkpoints = new Map<string, Checkpoint>();
  for (const [name, text] of rest) {
    const proof = readProof(text);
    if (!proof) {
      refuse('proof', name);
      continue;
    }
    proofs.set(name, proof);
    const known = checkpoints.get(proof.checkpoint.origin);
    if (known && !isSameNote(known.note, proof.checkpoint.note)) refuse('checkpoint-differs', name);
    checkpoints.set(proof.checkpoint.origin, known ?? proof.checkpoint);
  }
  const read = { leaves: leaves ?? [], growths: growths ?? [], claimed: keys ?? [] };
  return { ...read, proofs, checkpoints, trust, tools, isThere, wrong };
}

const isSameNote = (one: Note, other: Note): boolean =>
  one.text === other.text &&
  one.signatures.length === other.signatures.length &&
  one.signatures.every(({ bytes }, i) => isEqual(bytes, other.signatures[i]?.bytes ?? new Uint8Array(0)));

/** Undefined for a text that the server would write otherwise. */
function readLeaves(text: string): ReadLeaf[] | undefined {
  const leaves = listOf(objectOf(parsed(text))['leaves']).map((each) => {
    const { proof, entry, salt } = objectOf(each);
    return { proof: String(proof), entry: String(entry), salt: typeof salt === 'string' ? salt : null };
  });
  const isHex = leaves.every(({ salt }) => salt === null || /^([0-9a-f]{2})*$/.test(salt));
  return isHex && leavesText(leaves) === text ? leaves.map(readLeaf) : undefined;
}

/** A log has a key more for each rotation. Each key costs a check of a signature. */
const mostKeys = 1000;

/** Each key once: a log can return to an earlier one. */
async function readKeys(text: string, tools: Tools): Promise<NoteKey[] | undefined> {
  const rows = listOf(objectOf(parsed(text))['keys']).map((each): LogKeyText => {
    const { origin, key, from_size } = objectOf(each);
    return { origin: String(origin), key: String(key), from_size: Number(from_size) };
  });
  if (keysText(rows) !== text || rows.length > mostKeys) return undefined;
  const keys = await Promise.all(rows.map(({ key }) => readKey(key, tools)));
  const known = keys.flatMap((key) => key ?? []);
  const isOwn = known.every(({ name, algorithm }, i) => algorithm === ofLog && name === rows[i]?.origin);
  if (known.length !== rows.length || !isOwn) return undefined;
  return [...new Map(known.map((key) => [key.text, key])).values()];
}

/** Each fact of the record has a leaf that says the same, and each leaf is in its log. */
export async function compareLog(log: LogRecord, expected: readonly Expected[]): Promise<Compared | undefined> {
  if (!log.isThere) return undefined;
  const found = [...log.wrong];
  const open: Finding[] = [];
  const waiting = mentionsOf(expected);
  const unused = new Set(log.proofs.keys());
  for (const leaf of log.leaves) {
    const mentions = waiting.get(leaf.fact) ?? [];
    const [fact] = mentions;
    unused.delete(leaf.proof);
    if (!waiting.delete(leaf.fact) || !fact || leaf.proof !== proofMember(fact.kind, fact.id)) {
      found.push({ code: 'leaf-stray', about: leaf.fact });
      continue;
    }
    for (const mention of mentions) found.push(...(await differences(leaf, mention, log.tools.hashing)));
    found.push(...(await faultsOfProof(leaf, mentions, log)));
    if (mentions.some((mention) => isUnopened(leaf, mention))) open.push({ code: 'unopened', about: leaf.fact });
    if (leaf.fields['backfilled'] === true) open.push({ code: 'backfilled', about: leaf.fact });
  }
  for (const about of unused) found.push({ code: 'leaf-stray', about });
  for (const about of waiting.keys()) open.push({ code: 'unproven', about });
  const signed = await signersOf(log);
  const wrong = [...found, ...signed.wrong, ...(await faultsOfGrowths(log))];
  const facts = wrong.length === 0 ? signed.facts : [];
  return { count: log.leaves.length, wrong, open, unknown: signed.unknown, facts };
}

/** The mentions of each fact, by its name in leaves. */
function mentionsOf(expected: readonly Expected[]): Map<string, Expected[]> {
  const facts = new Map<string, Expected[]>();
  for (const fact of expected) {
    const name = `${fact.kind} ${fact.id}`;
    const mentions = facts.get(name);
    if (mentions) mentions.push(fact);
    else facts.set(name, [fact]);
  }
  return facts;
}

async function faultsOfProof(leaf: ReadLeaf, mentions: readonly Expected[], log: LogRecord): Promise<Finding[]> {
  const { hashing } = log.tools;
  const proof = log.proofs.get(leaf.proof);
  const isProven =
    proof && (await isIncluded(hashing, await leafHash(hashing, utf8(leaf.entry)), proof, proof.checkpoint));
  if (!proof || !isProven) return [{ code: 'proof', about: leaf.proof }];
  // The log of another facility, or of another server.
  const [, place] = /\/log\/([^/]+)(?:\/[1-9]\d*)?$/.exec(proof.checkpoint.origin) ?? [];
  return mentions.every((mention) => place === mention.log) ? [] : [{ code: 'leaf-place', about: leaf.fact }];
}

async function signersOf({
  checkpoints,
  claimed,
  trust,
  tools,
}: LogRecord): Promise<Required<Omit<Compared, 'count' | 'open'>>> {
  const wrong: Finding[] = [];
  const unknown: Finding[] = [];
  const facts: Finding[] = [];
  for (const [origin, { note }] of checkpoints) {
    const ofOrigin = ({ name }: NoteKey): boolean => name === origin;
    const trusted = await signedBy(note, trust.logs.filter(ofOrigin), tools);
    const own = await signedBy(note, claimed.filter(ofOrigin), tools);
    if (trusted === 'wrong' || own !== 'valid') wrong.push({ code: 'checkpoint', about: origin });
    else if (trusted === 'none') unknown.push({ code: 'key-unknown', about: origin });
    else facts.push({ code: 'signed-as', about: origin });
  }
  return { wrong, unknown, facts };
}

async function faultsOfGrowths({ growths, checkpoints, tools }: LogRecord): Promise<Finding[]> {
  const wrong: Finding[] = [];
  for (const { origin, earlier, path } of growths) {
    const later = checkpoints.get(origin);
    if (!later || !(await isConsistent(tools.hashing, earlier, later, path)))
      wrong.push({ code: 'growth', about: `${origin} ${earlier.size}` });
  }
  return wrong;
}

/** The signature of the whole pack by the key of a log. */
export async function compareSeal(
  text: string | undefined,
  sums: string,
  { checkpoints, claimed, trust, tools }: LogRecord,
): Promise<Compared | undefined> {
  if (text === undefined) return undefined;
  const note = readNote(text);
  const [, origin = ''] = note?.text.split('\n') ?? [];
  const wrong: Finding[] = [{ code: 'seal', about: origin }];
  if (!note || note.text !== sealText(origin, sums)) return { count: 0, wrong, open: [] };
  const ofOrigin = ({ name }: NoteKey): boolean => name === origin;
  const trusted = await signedBy(note, trust.logs.filter(ofOrigin), tools);
  const own = await signedBy(note, claimed.filter(ofOrigin), tools);
  if (trusted === 'wrong' || own !== 'valid') return { count: 0, wrong, open: [] };
  if (trusted === 'none') return { count: 1, wrong: [], open: [], unknown: [{ code: 'key-unknown', about: origin }] };
  const others = [...checkpoints.keys()].filter((each) => !isOfOneServer(each, origin, trust));
  const unknown = others.map((about): Finding => ({ code: 'seal-other', about: `${origin}, ${about}` }));
  return { count: 1, wrong: [], open: [], unknown, facts: [{ code: 'signed-as', about: origin }] };
}

const hostOf = (origin: string): string => origin.slice(0, Math.max(0, origin.indexOf('/log/')));

/**
 * Whether two logs are of one server: their origins have its host, or one key signs both (a log keeps the host of its
 * beginning, and a server can move). The reader may trust several servers, and none of them speaks for another one.
 */
function isOfOneServer(one: string, other: string, { logs }: Trust): boolean {
  if (hostOf(one) === hostOf(other)) return true;
  const keysOf = (origin: string): NoteKey[] => logs.filter(({ name }) => name === origin);
  return keysOf(one).some(({ key }) => keysOf(other).some((each) => isEqual(each.key, key)));
}

/** Each checkpoint has the cosignature of a trusted witness. */
export async function compareWitnesses({ checkpoints, trust, tools }: LogRecord): Promise<Compared | undefined> {
  const wrong: Finding[] = [];
  const unknown: Finding[] = [];
  let [count, cosigned] = [0, 0];
  for (const [origin, { note }] of checkpoints) {
    const signed = await cosignedBy(note, trust.witnesses, tools);
    if (signed === 'wrong') wrong.push({ code: 'cosignature', about: origin });
    else if (signed === 'valid') count += 1;
    else unknown.push({ code: 'key-unknown', about: origin });
    // A witness has a name of its own.
    if (note.signatures.some(({ name }) => name !== origin)) cosigned += 1;
  }
  if (wrong.length === 0 && count === 0 && cosigned === 0) return undefined;
  return { count, wrong, open: [], unknown };
}

/** A checkpoint that somebody has kept, against the one of the pack. It shows nothing of facts that came after it. */
export async function compareElsewhere(log: LogRecord, { checkpoint, since, path }: Elsewhere): Promise<Compared> {
  const { tools, checkpoints, growths } = log;
  const { origin, size, root, note } = checkpoint;
  const answer = (part: 'wrong' | 'open', code: Finding['code'], more = ''): Compared => {
    const finding: Finding = { code, about: `${origin} ${size}${more}` };
    return { count: 0, wrong: [], open: [], [part]: [finding] };
  };
  const own = checkpoints.get(origin);
  const keys = [...log.trust.logs, ...log.claimed].filter(({ name }) => name === origin);
  if (!own || (await signedBy(note, keys, tools)) !== 'valid') return answer('open', 'elsewhere-other');
  const earlier = growths.find((growth) => growth.origin === origin && growth.earlier.size === size);
  const known = size === own.size ? own : earlier?.earlier;
  if (known) return isEqual(known.root, root) ? coverage(log, checkpoint) : answer('wrong', 'elsewhere-forked');
  if (since !== own.size) return answer('open', 'elsewhere-unproven', `, old=${own.size}`);
  const isGrown = await isConsistent(tools.hashing, own, checkpoint, path);
  return isGrown ? coverage(log, checkpoint) : answer('wrong', 'elsewhere-forked');
}

/** The facts of the pack that are under a checkpoint, and the logs of which it shows nothing. */
function coverage({ leaves, proofs, checkpoints }: LogRecord, { origin, size }: Checkpoint): Compared {
  const own = leaves.filter(({ proof }) => proofs.get(proof)?.checkpoint.origin === origin);
  const later = own.filter(({ proof }) => (proofs.get(proof)?.index ?? size) >= size);
  const open = later.map(({ fact }): Finding => ({ code: 'elsewhere-before', about: `${fact}, ${origin} ${size}` }));
  const others = [...checkpoints.keys()].filter((each) => each !== origin);
  const facts = others.map((about): Finding => ({ code: 'elsewhere-silent', about }));
  return { count: own.length - later.length, wrong: [], open, facts };
}
