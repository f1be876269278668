import { type KeyObject } from 'node:crypto';
import { proofMember, sealText, type Leaf, type LogKeyText } from '../../../../verify/src/format.ts';
import type { Queryable } from '../../../db/types.ts';
import { hashesOf } from '../../../tlog/append.ts';
import { proveConsistency, proveInclusion, type ReadHashes } from '../../../tlog/format/merkle.ts';
import { noteText, signText } from '../../../tlog/format/note.ts';
import type { LogKey, ReadKeys } from '../../../tlog/keys.ts';
import { SERVICE, type LogId } from '../../../tlog/log.ts';
import { listKeys, readCovering } from '../../../tlog/read-log.ts';
import { isCosigned, proofText, readCheckpoint, type Checkpoint } from '../../../tlog/format/checkpoint.ts';
import type { StopEvidence } from '../evidence.ts';
import * as sql from '../evidence-sql.ts';

/** The proofs of a pack, against the newest witnessed checkpoint of each log, or else the newest one. */
export interface LogProofs {
  readonly leaves: readonly Leaf[];
  /** By member. */
  readonly proofs: ReadonlyMap<string, string>;
  readonly keys: readonly LogKeyText[];
  /** That each log has grown from earlier checkpoints. */
  readonly growths: readonly string[];
  /** An outside witness has signed each checkpoint. */
  readonly isWitnessed: boolean;
  /** The log whose key seals the pack, and the key; undefined where this server does not have it. */
  readonly sealer: { readonly origin: string; readonly key: KeyObject } | undefined;
}

interface LeafRow extends LogId, Record<string, unknown> {
  readonly facility: string;
  readonly generation: number;
  readonly index: number;
  readonly kind: string;
  readonly source: string;
  readonly entry: string;
  readonly salt: Buffer | null;
}

/**
 * Reads the proofs of the facts of some stops of one facility; undefined where no log has a key yet. A fact without a leaf
 * has no proof: the log follows the commit by some seconds.
 *
 * @param isNameless salts open commitments to names
 */
export async function readProofs(
  db: Queryable,
  stops: readonly StopEvidence[],
  { keys, isNameless }: { readonly keys: ReadKeys; readonly isNameless: boolean },
): Promise<LogProofs | undefined> {
  const facility = stops[0]?.place.facility ?? SERVICE;
  const rows = [
    ...(await findLeaves(db, facility, stops.flatMap(factsOfFacility))),
    ...(await findLeaves(db, SERVICE, stops.flatMap(filesOf))),
  ];
  const known = await listKeys(db);
  const proofs = new Map<string, string>();
  const growths: string[] = [];
  const origins = new Set<string>();
  const cosigned: boolean[] = [];
  for (const leaves of Map.groupBy(rows, ({ facility: log, generation }) => `${log}/${generation}`).values()) {
    const [first] = leaves;
    const newest = first && (await readCovering(db, first, Math.max(...leaves.map(({ index }) => index))));
    if (!newest) continue;
    origins.add(newest.checkpoint.origin);
    cosigned.push(isCosigned(readCheckpoint(newest.note)));
    const read = gathered(hashesOf(db, first));
    const { size } = newest.checkpoint;
    const texts = await Promise.all(
      leaves.map(async ({ index }) => proofText(index, await proveInclusion(index, size, read), newest.note)),
    );
    leaves.forEach(({ kind, source }, i) => proofs.set(proofMember(kind, source), texts[i] ?? ''));
    growths.push(
      ...(await growthsOf(db, first, { newest, since: Math.min(...leaves.map(({ index }) => index)), read })),
    );
  }
  const sealer = await sealerOf(db, facility, await keys());
  if (sealer) origins.add(sealer.origin);
  if (origins.size === 0) return undefined;
  const shown = rows.map(({ kind, source, entry, salt }): Leaf => ({
    proof: proofMember(kind, source),
    entry,
    salt: isNameless ? null : (salt?.toString('hex') ?? null),
  }));
  return {
    leaves: shown,
    proofs,
    keys: known.filter(({ origin }) => origins.has(origin)),
    growths,
    isWitnessed: cosigned.length > 0 && cosigned.every(Boolean),
    sealer,
  };
}

const factsOfFacility = ({ facts, acts, mails }: StopEvidence): sql.FactName[] => [
  ...facts.map(({ id }) => ({ kind: 'mutation', source: id })),
  ...acts.map(({ act_id }) => ({ kind: 'act', source: act_id })),
  ...mails.map(({ mutation_id }) => ({ kind: 'mail', source: mutation_id })),
];

const filesOf = ({ files }: StopEvidence): sql.FactName[] =>
  files.flatMap(({ asset_id, sha256 }) => (sha256 === null ? [] : [{ kind: 'file', source: asset_id }]));

async function findLeaves(db: Queryable, facility: string, facts: readonly sql.FactName[]): Promise<LeafRow[]> {
  if (facts.length === 0) return [];
  const once = [...new Map(facts.map((fact) => [`${fact.kind} ${fact.source}`, fact])).values()];
  return (await db.query<LeafRow>(sql.findLeaves, [facility, ...sql.findLeaves.parameters(once)])).rows;
}

/** Asks for the hashes of all proofs that begin together at once. */
function gathered(read: ReadHashes): ReadHashes {
  type Subtrees = Parameters<ReadHashes>[0];
  let waiting: {
    readonly subtrees: Subtrees;
    readonly answer: ReturnType<typeof Promise.withResolvers<readonly Buffer[]>>;
  }[] = [];
  const ask = async (): Promise<void> => {
    const asked = waiting;
    waiting = [];
    try {
      const hashes = await read(asked.flatMap(({ subtrees }) => subtrees));
      let at = 0;
      for (const { subtrees, answer } of asked) answer.resolve(hashes.slice(at, (at += subtrees.length)));
    } catch (error) {
      for (const { answer } of asked) answer.reject(error);
    }
  };
  return (subtrees) => {
    const answer = Promise.withResolvers<readonly Buffer[]>();
    if (waiting.length === 0) queueMicrotask(() => void ask());
    waiting.push({ subtrees, answer });
    return answer.promise;
  };
}

/** The log of the facility, or of the service; its key, where this server has it. */
async function sealerOf(db: Queryable, facility: string, keys: readonly LogKey[]): Promise<LogProofs['sealer']> {
  const { rows } = await db.query<{ origin: string; key: Buffer }>(sql.findSealer, [facility]);
  const [row] = rows;
  const own = row && keys.find(({ public: key }) => key.equals(row.key));
  return own && { origin: row.origin, key: own.private };
}

interface Grown {
  readonly newest: { readonly checkpoint: Checkpoint };
  /** The first leaf of the pack. */
  readonly since: number;
  readonly read: ReadHashes;
}

/** From the stored checkpoints that have a leaf of the pack, the oldest first: these are the ones that others keep. */
async function growthsOf(db: Queryable, id: LogId, { newest, since, read }: Grown): Promise<string[]> {
  const { rows } = await db.query<{ note: string }>(sql.listCheckpoints, [id.facility, id.generation, since]);
  const growths: string[] = [];
  const { origin, size } = newest.checkpoint;
  for (const { note } of rows) {
    const earlier = readCheckpoint(note).checkpoint;
    if (earlier.size >= size) continue;
    const path = await proveConsistency(earlier.size, size, read);
    const lines = path.map((hash) => `${hash.toString('base64')}\n`).join('');
    growths.push(`${origin}\nold ${earlier.size} ${earlier.root.toString('base64')}\n${lines}\n`);
  }
  return growths;
}

/** The signed note of a whole pack. @param sums SHA-256 of `SHA256SUMS`, in hexadecimal */
export function sealOf({ origin, key }: NonNullable<LogProofs['sealer']>, sums: string): string {
  const text = sealText(origin, sums);
  return noteText({ text, signatures: [signText(text, origin, key)] });
}

/** `log/policy` (c2sp.org/tlog-policy): what this server calls its own. A reader trusts keys from elsewhere. */
export const policyText = ({ keys }: LogProofs): string =>
  [
    '# The keys that the maker of this pack names. Trust the ones that you have from elsewhere.',
    ...keys.map(({ key }) => `log ${key}`),
    'quorum none',
    '',
  ].join('\n');
