import type { Db } from '../db/types.ts';
import { reportOnce } from '../incidents/sql.ts';
import type { Log } from '../runtime/log.ts';
import { hashesOf } from './append.ts';
import { readCheckpoint, type Checkpoint } from './format/checkpoint.ts';
import { proveConsistency } from './format/merkle.ts';
import { ED25519 } from './format/note.ts';
import type { ReadKeys } from './keys.ts';
import { originOf } from './log.ts';
import { readEpoch } from './log-sql.ts';
import type { NewestCheckpoints, Seen } from './newest-checkpoints.ts';
import {
  askNewest,
  nameOfWitness,
  submitCheckpoint,
  WitnessAway,
  type OwnLog,
  type Witness,
} from './witness-client.ts';
import * as sql from './witness-sql.ts';

/** The end of a checkpoint's way to a witness. */
export type CosigningOutcome = 'signed' | 'refused' | 'unreachable';

export interface WitnessesOptions {
  readonly db: Db;
  readonly witnesses: readonly Witness[];
  readonly newest: NewestCheckpoints;
  readonly keys: ReadKeys;
  /** The host in the origin of new logs. */
  readonly host: string;
  readonly log: Log;
  readonly watch: (outcome: CosigningOutcome) => void;
  /** The pause after the first failure. */
  readonly retryMs?: number;
}

const RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;
/** A witness that has seen another size says so; other workers may submit in between. */
const MAX_STEPS = 5;
/** A log has one generation a restore. A witness that shows more, without a signature of the log, is not believed. */
const MAX_GENERATIONS = 100;

/**
 * Brings signed checkpoints to the witnesses, behind the log: a witness that is away or refuses never delays it. Of
 * several checkpoints that wait, only the newest one is sent.
 */
export class Witnesses {
  readonly #options: WitnessesOptions;
  readonly #couriers: readonly Courier[];
  readonly #stopping = new AbortController();
  readonly #recalled = new Set<string>();

  constructor(options: WitnessesOptions) {
    this.#options = options;
    this.#couriers = options.witnesses.map((witness) => new Courier(witness, options, this.#stopping.signal));
  }

  /** Checkpoints that an earlier process has not brought there are sent now. */
  async start(): Promise<void> {
    const { rows } = await this.#options.db.query<{ facility: string }>(sql.listPresent);
    for (const { facility } of rows) this.submit(facility);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#couriers.map((courier) => courier.ended()));
  }

  /** After the commit of a checkpoint. */
  submit(facility: string): void {
    for (const courier of this.#couriers) courier.add(facility);
  }

  /**
   * Asks the witnesses, before the first leaf of this process, for the newest checkpoint of a log. A server that has
   * lost its files and the end of its database would continue the log otherwise, and fork it.
   *
   * @returns false where neither a witness nor the own file knows the log: it must wait
   */
  async recall(facility: string): Promise<boolean> {
    const { witnesses, newest, log } = this.#options;
    if (witnesses.length === 0 || this.#recalled.has(facility)) return true;
    const answers = await Promise.all(
      witnesses.map((witness) =>
        this.#recallFrom(witness, facility).catch((err: unknown) => {
          if (!(err instanceof WitnessAway)) throw err;
          log.warn({ err, witness: nameOfWitness(witness) }, 'a witness does not answer what it has seen of a log');
          return 'away' as const;
        }),
      ),
    );
    for (const seen of answers) if (seen !== undefined && seen !== 'away') await newest.keep(facility, seen);
    if (answers.every((seen) => seen === 'away') && !newest.of(facility)) return false;
    this.#recalled.add(facility);
    return true;
  }

  /**
   * Also later generations: the database may be older than the one that it was restored from before. After an announced
   * restore the witness's own signature is enough for those that the database lacks: it can choose the number of the next
   * generation, and end nothing.
   */
  async #recallFrom(witness: Witness, facility: string): Promise<Seen | undefined> {
    const { db, newest, host } = this.#options;
    const { rows } = await db.query<{ generation: number; origin: string; epoch: number }>(sql.readPresent, [facility]);
    const [present] = rows;
    const [state] = (await db.query<{ epoch: number }>(readEpoch, [facility])).rows;
    const ends = (state?.epoch ?? 1) > (present?.epoch ?? 1);
    let found: Seen | undefined;
    const first = Math.max(present?.generation ?? 1, newest.of(facility)?.generation ?? 1);
    for (let generation = first; generation < first + MAX_GENERATIONS; generation++) {
      const isPresent = present?.generation === generation;
      const origin = isPresent ? present.origin : originOf(host, { facility, generation });
      const log = { ...(await ownLog(this.#options, origin)), ends };
      const signed = await askNewest(witness, log, this.#stopping.signal);
      if (!signed) return found;
      const { note, checkpoint, isOwn } = signed;
      if (isOwn || !isPresent) found = { generation, epoch: undefined, note, checkpoint };
    }
    throw new WitnessAway(`it shows more than ${MAX_GENERATIONS} generations of a log`);
  }
}

/** The keys of this server, and those of all logs of the database: each can have lost some. */
async function ownLog({ db, keys }: Pick<WitnessesOptions, 'db' | 'keys'>, origin: string): Promise<OwnLog> {
  const { rows } = await db.query<{ key: Buffer }>(sql.listSigningKeys);
  const known = [...rows.map(({ key }) => key), ...(await keys()).map((each) => each.public)];
  return { origin, keys: known.map((key) => ({ name: origin, algorithm: ED25519, key })) };
}

interface ToCosign {
  readonly seen: Seen;
  /** The largest size that the witness has signed, as far as this database knows. */
  readonly cosigned: number;
}

/** Brings checkpoints to one witness, one at a time. */
class Courier {
  readonly #witness: Witness;
  readonly #options: WitnessesOptions;
  readonly #stopping: AbortSignal;
  readonly #waiting = new Set<string>();
  /** Logs that wait for the timer, and those that it refuses, with the reason. */
  readonly #later = new Set<string>();
  readonly #refusals = new Map<string, string>();
  #isAway = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(witness: Witness, options: WitnessesOptions, stopping: AbortSignal) {
    this.#witness = witness;
    this.#options = options;
    this.#stopping = stopping;
    stopping.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  add(facility: string): void {
    this.#waiting.add(facility);
    this.#run();
  }

  async ended(): Promise<void> {
    await this.#running;
  }

  #run(): void {
    if (this.#isAway || this.#stopping.aborted) return;
    this.#running ??= this.#deliverAll().finally(() => {
      this.#running = undefined;
      if (this.#waiting.size > 0) this.#run();
    });
  }

  async #deliverAll(): Promise<void> {
    for (const facility of this.#waiting) {
      if (this.#stopping.aborted) return;
      this.#waiting.delete(facility);
      const outcome = await this.#deliver(facility).catch((err: unknown) => this.#failedWith(err));
      if (outcome !== undefined) this.#options.watch(outcome);
      if (outcome === 'signed') this.#refusals.delete(facility);
      if (outcome === 'refused' || outcome === 'unreachable') this.#later.add(facility);
      // The other logs wait, too: it answers none of them.
      if (outcome === 'unreachable') {
        this.#isAway = true;
        break;
      }
    }
    if (this.#later.size === 0) this.#failures = 0;
    else if (this.#timer === undefined && !this.#stopping.aborted) this.#retryLater();
  }

  #retryLater(): void {
    const wait = Math.min((this.#options.retryMs ?? RETRY_MS) * 2 ** this.#failures, MAX_RETRY_MS);
    this.#failures++;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#isAway = false;
      for (const facility of this.#later) this.#waiting.add(facility);
      this.#later.clear();
      this.#run();
    }, wait);
  }

  #failedWith(err: unknown): CosigningOutcome {
    const about = { err, witness: nameOfWitness(this.#witness) };
    if (!this.#stopping.aborted && this.#failures === 0)
      this.#options.log.warn(about, 'a witness could not be reached; it is tried again');
    return 'unreachable';
  }

  /** Undefined where the newest checkpoint is signed already. */
  async #deliver(facility: string): Promise<CosigningOutcome | undefined> {
    const { db } = this.#options;
    let toCosign = await this.#read(facility);
    let old = toCosign?.cosigned ?? 0;
    for (let step = 0; step < MAX_STEPS; step++) {
      if (!toCosign || toCosign.cosigned === toCosign.seen.checkpoint.size) return undefined;
      const { generation, note, checkpoint } = toCosign.seen;
      const proof = await proveConsistency(old, checkpoint.size, hashesOf(db, { facility, generation }));
      const answer = await submitCheckpoint(this.#witness, { oldSize: old, proof, checkpoint: note }, this.#stopping);
      if (answer.kind === 'refused') return this.#refused(facility, checkpoint, answer.reason, answer.answer);
      if (answer.kind === 'differs') return this.#differs(facility, toCosign, answer.reason, answer.answer);
      if (answer.kind === 'signed') {
        const values = [facility, generation, nameOfWitness(this.#witness), checkpoint.size, answer.at, answer.line];
        await db.query(sql.saveCosignature, values);
        return 'signed';
      }
      // Another worker may have submitted a later one: the database has that one, too, unless it lost it.
      toCosign = await this.#read(facility);
      if (toCosign && toCosign.seen.checkpoint.size < answer.size)
        return this.#differs(
          facility,
          toCosign,
          'it has seen more of the log than this database',
          `size ${answer.size}`,
        );
      old = answer.size;
    }
    throw new WitnessAway(`it names another size each time, ${MAX_STEPS} times`);
  }

  async #read(facility: string): Promise<ToCosign | undefined> {
    const { rows } = await this.#options.db.query<{
      generation: number;
      epoch: number;
      note: string;
      cosigned: number | null;
    }>(sql.readToCosign, [facility, nameOfWitness(this.#witness)]);
    const [row] = rows;
    if (!row) return undefined;
    const { generation, epoch, note, cosigned } = row;
    return { seen: { generation, epoch, note, checkpoint: readCheckpoint(note).checkpoint }, cosigned: cosigned ?? 0 };
  }

  /**
   * The database is another one than that whose checkpoints the witness has signed: the next leaf begins a new origin. A
   * witness that shows no signature of the log refuses, and the log goes on.
   */
  async #differs(facility: string, { seen }: ToCosign, reason: string, answer: string): Promise<CosigningOutcome> {
    const { generation, checkpoint } = seen;
    const log = await ownLog(this.#options, checkpoint.origin);
    const signed = await askNewest(this.#witness, log, this.#stopping).catch((err: unknown) => {
      if (!(err instanceof WitnessAway)) throw err;
      this.#options.log.warn(
        { err, witness: nameOfWitness(this.#witness) },
        'a witness does not show what it has signed',
      );
      return undefined;
    });
    if (signed) {
      const { note, checkpoint: other } = signed;
      await this.#options.newest.replace(facility, { generation, epoch: undefined, note, checkpoint: other });
    }
    return this.#refused(facility, checkpoint, reason, answer);
  }

  /** Each reason is an incident once; the log may grow many times until a person has acted. */
  async #refused(
    facility: string,
    { origin, size }: Checkpoint,
    reason: string,
    answer: string,
  ): Promise<CosigningOutcome> {
    const { db, log } = this.#options;
    if (this.#refusals.get(facility) === reason) return 'refused';
    const about = { witness: nameOfWitness(this.#witness), origin, reason };
    log.error({ ...about, size, answer }, 'a witness refuses a checkpoint of the log');
    await db.query(reportOnce, ['log_refused', JSON.stringify(about)]);
    this.#refusals.set(facility, reason);
    return 'refused';
  }
}
