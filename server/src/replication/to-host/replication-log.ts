import { createHash } from 'node:crypto';
import { hostText } from '@tailgate/sync-protocol';
import type { Log } from '../../runtime/log.ts';
import type { HostGate } from '../control/host-gate.ts';
import { HostError, needsSetup, type Host } from '../../host/host.ts';
import { hostMoment, type HostMoment } from '../../host/files/local-time.ts';
import { insertMissing } from '../../host/files/statements.ts';
import { hostFiles, type HostFileName, type ServicePart } from '../../host/files/tables.ts';
import { inShapes } from '../../host/files/in-shapes.ts';
import { namesOf, cachedByCount, stampAt, writeOwn } from './host-writes.ts';
import { traceText } from './trace.ts';

/** The result of one write to the host. */
export interface LogEntry {
  readonly file: HostFileName;
  /** The row's key on the host, for readers. */
  readonly key: readonly string[];
  /** The time zone of the line's date. */
  readonly zone: string;
  /** The trace id of the row itself; by default that of the entry. */
  readonly trace?: string | undefined;
  readonly sequence: number;
  /** Undefined where the service itself, or a timer, writes. */
  readonly author?: LogAuthor | undefined;
  readonly change?: { readonly column: string; readonly before: string; readonly after: string } | undefined;
  /** The time of another program's edit; by default that of the line. */
  readonly at?: Date;
  readonly outcome: { readonly status: 'A'; readonly note?: string } | Refused;
}

/** D a driver, O an operator, C a clerk on the host. */
export interface LogAuthor {
  readonly who: 'D' | 'O' | 'C';
  readonly user: string;
}

interface Refused {
  readonly status: 'P';
  readonly sqlstate: string;
  readonly reason: string;
}

export interface ReplicationLogOptions {
  readonly host: Host;
  readonly gate: Pick<HostGate, 'pause' | 'pauseOf'>;
  readonly clock: () => Date;
  readonly log: Log;
}

/** After a wait for a locked log, the log is left alone for so many times the wait. */
const REST = 5;
/** A shorter wait needs no pause; ms. */
const SHORT_MS = 500;

/**
 * PODRPLP: shows the back office which rows the service has written or could not write. It is written after the rows
 * and before the mirror confirms them: after a crash in between, the same entry is found and logged again, once. The
 * log proves nothing. Where it is locked, missing, or the host is away, the rows continue without it, and do not wait for
 * the same lock each time.
 */
export class ReplicationLog {
  readonly #options: ReplicationLogOptions;
  readonly #insert;
  /** By `performance.now()`. */
  #restsUntil = 0;

  constructor(options: ReplicationLogOptions) {
    this.#options = options;
    const columns = namesOf(hostFiles.PODRPLP.service);
    this.#insert = cachedByCount((count) => insertMissing(options.host, 'PODRPLP', columns, count));
  }

  async write(entries: readonly LogEntry[]): Promise<void> {
    const { host, gate, clock, log } = this.#options;
    const [first] = entries;
    if (!first || gate.pauseOf('PODRPLP')) return;
    const begunAt = performance.now();
    if (begunAt < this.#restsUntil) return;
    const now = clock();
    const stamp = stampAt(now, first.zone);
    const rows = entries.map((entry) => logRow(entry, hostMoment(entry.at ?? now, entry.zone)));
    const writes = inShapes(rows).map((part) => {
      const { sql, bind } = this.#insert(part.length);
      return { file: 'PODRPLP', sql, values: bind({ rows: part, stamp }), rows: 'any' } as const;
    });
    try {
      await writeOwn(host, writes);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (needsSetup(error) && error.file) return gate.pause(error.file, error);
      const waitedMs = performance.now() - begunAt;
      if (waitedMs > SHORT_MS) this.#restsUntil = begunAt + waitedMs * (1 + REST);
      log.warn({ err: error, entries: entries.length }, 'the replication log on the host could not be written');
    }
  }
}

/** The line's search key: the trace id of the row itself, or a digest of the line. */
export function traceOfEntry({ file, key, trace, change, at, outcome }: LogEntry): string {
  if (trace) return trace;
  return traceText(
    createHash('sha256')
      .update(JSON.stringify([file, key, outcome, ...(change ? [change, at] : [])]))
      .digest(),
  );
}

const KEY_LENGTH = 60;

function logRow(entry: LogEntry, { date, time }: HostMoment): ServicePart<'PODRPLP'> {
  const { file, key, sequence, author, change, outcome } = entry;
  const parked = outcome.status === 'P';
  const place = key.join(' ');
  return {
    RLTRC: traceOfEntry(entry),
    RLSEQ: `${sequence}`,
    RLENT: file,
    RLKEY: hostText(place, KEY_LENGTH).text,
    RLDAT: date,
    RLTIM: time,
    RLSTS: outcome.status,
    RLERR: parked ? hostText(outcome.sqlstate, 7).text : '',
    // A key of full length: its end is in the message.
    RLMSG: hostText(parked ? outcome.reason : outcome.note || (place.length > KEY_LENGTH ? place : ''), 132).text,
    RLWHO: author?.who ?? '',
    RLUSR: hostText(author?.user, 18).text,
    RLCOL: change?.column ?? '',
    RLOLD: hostText(change?.before, 256).text,
    RLNEW: hostText(change?.after, 256).text,
  };
}
