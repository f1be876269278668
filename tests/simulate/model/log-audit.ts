import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Reader } from './evidence.ts';

// An auditor of the transparency logs, by the public formats alone (RFC 6962, c2sp.org/tlog-checkpoint). It remembers the
// leaves and the checkpoints that it has seen, as a witness does.

interface KnownLog {
  readonly hashes: Buffer[];
  /** Roots of complete subtrees, the largest first. */
  readonly edge: { readonly width: number; readonly hash: Buffer }[];
  /** By size. */
  readonly roots: Map<number, string>;
}

interface LogRow {
  readonly [column: string]: unknown;
  readonly facility: string;
  readonly generation: number;
  readonly origin: string;
  readonly size: number;
  readonly is_ended: boolean;
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Adds a leaf to the edge of a tree. */
function grow(edge: KnownLog['edge'], hash: Buffer): void {
  let last = { width: 1, hash };
  for (let left = edge.at(-1); left?.width === last.width; left = edge.at(-1)) {
    edge.pop();
    last = { width: 2 * last.width, hash: sha256(NODE, left.hash, last.hash) };
  }
  edge.push(last);
}

const rootOf = (edge: KnownLog['edge']): string => {
  const [last, ...before] = edge.toReversed();
  const root = before.reduce((right, { hash }) => sha256(NODE, hash, right), last?.hash ?? sha256());
  return root.toString('base64');
};

/** Of the first leaves of a longer tree. */
function rootAt({ hashes }: KnownLog, size: number): string {
  const edge: KnownLog['edge'] = [];
  for (const hash of hashes.slice(0, size)) grow(edge, hash);
  return rootOf(edge);
}

export class LogAudit {
  readonly #logs = new Map<string, KnownLog>();

  /** Reads what is new. @returns what is wrong */
  async read(db: Reader): Promise<string[]> {
    const { rows } = await db.query<LogRow>(
      `select facility, generation, origin, size::int as size, ended_at is not null as is_ended from log order by facility, generation`,
    );
    const wrong: string[] = [];
    for (const row of rows) wrong.push(...(await this.#readLog(db, row)));
    return wrong;
  }

  async #readLog(db: Reader, { facility, generation, origin, size, is_ended }: LogRow): Promise<string[]> {
    const known: KnownLog = this.#logs.get(origin) ?? { hashes: [], edge: [], roots: new Map() };
    this.#logs.set(origin, known);
    const before = known.hashes.length;
    const wrong: string[] = [];
    // A database that was put back has fewer leaves: then this log must have ended.
    if (size < before && !is_ended) wrong.push(`the log ${origin} went back from ${before} to ${size} leaves`);
    const leaves = await db.query<{ place: number; entry: string }>(
      `select leaf_index::int as place, entry from log_leaf where facility = $1 and generation = $2 and leaf_index >= $3
        order by leaf_index`,
      [facility, generation, before],
    );
    const checkpoints = await db.query<{ size: number; note: string; keys: Buffer[] }>(
      `select c.size::int as size, c.note, array(select k.key from log_key k where k.facility = $1 and k.generation = $2) as keys
         from log_checkpoint c where c.facility = $1 and c.generation = $2 and c.size >= $3 order by c.size`,
      [facility, generation, Math.min(before, size)],
    );
    const waiting = [...leaves.rows];
    for (const { size: signed, note, keys } of checkpoints.rows) {
      while (known.hashes.length < signed && waiting.length > 0) {
        const leaf = waiting.shift();
        if (leaf?.place !== known.hashes.length)
          return [...wrong, `the log ${origin} lacks leaf ${known.hashes.length}`];
        const hash = sha256(LEAF, Buffer.from(leaf.entry));
        known.hashes.push(hash);
        grow(known.edge, hash);
      }
      const [name, sizeText, root = ''] = note.split('\n');
      const expected = known.hashes.length === signed ? rootOf(known.edge) : rootAt(known, signed);
      if (name !== origin || Number(sizeText) !== signed || root !== expected)
        wrong.push(`the checkpoint ${signed} of ${origin} is not of its leaves, or not of those before`);
      if ((known.roots.get(signed) ?? root) !== root) wrong.push(`${origin} has two roots of size ${signed}`);
      known.roots.set(signed, root);
      if (!keys.some((key) => isSigned(note, origin, key)))
        wrong.push(`no key of ${origin} has signed its checkpoint ${signed}`);
    }
    if (waiting.length > 0) wrong.push(`${waiting.length} leaves of ${origin} are under no checkpoint`);
    return wrong;
  }
}

/** A signature line is `— name base64(hash of the key, 4 bytes ‖ signature)`. */
function isSigned(note: string, origin: string, key: Buffer): boolean {
  const [text = '', signatures = ''] = note.split(/(?<=\n)\n/);
  const publicKey = createPublicKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') },
  });
  return signatures.split('\n').some((line) => {
    if (!line.startsWith(`— ${origin} `)) return false;
    const bytes = Buffer.from(line.slice(origin.length + 3), 'base64');
    return verify(null, Buffer.from(text), publicKey, bytes.subarray(4));
  });
}
