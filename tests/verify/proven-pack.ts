import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { proofMember, type Leaf, type Withheld } from '../../server/verify/src/format.ts';
import type { StopEvidence } from '../../server/src/ops/evidence/evidence.ts';
import type { LogProofs } from '../../server/src/ops/evidence/log/log-proofs.ts';
import type { Sealing } from '../../server/src/ops/evidence/pack/pack.ts';
import { checkpointText, cosign, proofText } from '../../server/src/tlog/format/checkpoint.ts';
import { COSIGNATURE, ED25519, keyText, noteText, publicBytes, signText } from '../../server/src/tlog/format/note.ts';
import { entryOf, type Fact } from '../../server/src/tlog/log.ts';
import { naiveGrowth, naivePath, naiveRoot } from '../server/tlog/naive-tree.ts';
import { chainedPack, chainedStop } from './packs.ts';

// Packs with proofs of a log in memory, whose tree is the naive one of the tests.

export interface Signer {
  readonly private: KeyObject;
  /** The text of the public key. */
  readonly text: string;
  readonly name: string;
}

export function signer(name: string, algorithm: typeof ED25519 | typeof COSIGNATURE = ED25519): Signer {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { private: privateKey, name, text: keyText({ name, algorithm, key: publicBytes(privateKey) }) };
}

export const witness = (): Signer => signer('witness.example.org', COSIGNATURE);

const salt = Buffer.alloc(32, 7);

/** The leaves of a stop's changes, as the log writes them. */
function factsOf({ facts, place }: StopEvidence): Fact[] {
  return facts.map(({ id, hash, prev_hash, client_id, seq, source, version, result, employee, ...times }) => ({
    kind: 'mutation',
    source: id,
    at: new Date(times.received_at),
    fields: {
      ...{ hash, prev_hash, client: client_id, seq, source, version, result, warnings: [] },
      ...{ route: place.route_id, week_end: place.week_end, stop: place.stop_id },
      ...{ captured: times.captured_at, edited: times.edit_time },
    },
    personal: { employee },
  }));
}

export interface Logged {
  readonly log: LogProofs;
  readonly origin: string;
  /** A signed checkpoint of the first `size` leaves. The log grows by leaves of other stops. */
  readonly checkpoint: (size: number, more?: { readonly entries?: readonly Buffer[] }) => string;
  /** The proof between two sizes, as `old SIZE`, its hashes, and the later checkpoint. */
  readonly growth: (from: number, to: number) => string;
  readonly size: number;
}

/** A log with the changes of the stop at the places 3, 4, 5, ten leaves in all at the time of the pack. */
export function logged(
  key: Signer,
  {
    witnesses = [],
    without = [],
  }: { readonly witnesses?: readonly Signer[]; readonly without?: readonly Withheld[] } = {},
): Logged {
  const origin = key.name;
  const others = Array.from({ length: 40 }, (_, i) => Buffer.from(`{"id":"other ${i}"}`));
  const facts = factsOf(chainedStop());
  const own = facts.map((fact) => entryOf(fact, salt, fact.at));
  const entries = [...others.slice(0, 3), ...own.map((entry) => Buffer.from(entry)), ...others.slice(3)];
  const checkpoint: Logged['checkpoint'] = (size, { entries: shown = entries } = {}) => {
    const text = checkpointText({ origin, size, root: naiveRoot(shown.slice(0, size)) });
    const cosignatures = witnesses.map((each) =>
      cosign(text, each.name, each.private, new Date('2026-11-20T17:00:00Z')),
    );
    return noteText({ text, signatures: [signText(text, origin, key.private), ...cosignatures] });
  };
  const size = 10;
  const leaves = own.map((entry, i): Leaf => ({
    proof: proofMember('mutation', facts[i]?.source ?? ''),
    entry,
    salt: without.includes('names') ? null : salt.toString('hex'),
  }));
  const proofs = leaves.map(
    ({ proof }, i) => [proof, proofText(3 + i, naivePath(3 + i, entries.slice(0, size)), checkpoint(size))] as const,
  );
  const lines = (path: readonly Buffer[]): string => path.map((hash) => `${hash.toString('base64')}\n`).join('');
  const grown = (from: number): string => {
    const root = naiveRoot(entries.slice(0, from)).toString('base64');
    return `${origin}\nold ${from} ${root}\n${lines(naiveGrowth(from, entries.slice(0, size)))}\n`;
  };
  return {
    origin,
    size,
    checkpoint,
    growth: (from, to) => `old ${from}\n${lines(naiveGrowth(from, entries.slice(0, to)))}\n${checkpoint(to)}`,
    log: {
      leaves,
      proofs: new Map(proofs),
      keys: [{ origin, key: key.text, from_size: 0 }],
      growths: [grown(4), grown(6)],
      isWitnessed: witnesses.length > 0,
      sealer: { origin, key: key.private },
    },
  };
}

/** The name of the log of the facility of the packs. */
export const originOfPacks = `pod.example.com/log/${chainedStop().place.facility}`;

export const provenPack = (
  log: LogProofs,
  without: readonly Withheld[] = [],
  sealing?: Omit<Sealing, 'at'>,
): Promise<Buffer> => chainedPack(without, log, sealing);
