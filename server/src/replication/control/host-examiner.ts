import { hostname } from 'node:os';
import type { Listener } from '../../db/listen.ts';
import { examinationsChannel, notifyExaminations } from '../../db/notify-sql.ts';
import type { Queryable } from '../../db/types.ts';
import type { CheckSettings } from '../../host/doctor/checks.ts';
import { unreachable } from '../../host/doctor/connection.ts';
import type { Diagnosis } from '../../host/doctor/examine.ts';
import { reportHost } from '../../host/doctor/report-host.ts';
import type { Host, HostError } from '../../host/host.ts';
import { Interval } from '../../runtime/interval.ts';
import type { Log } from '../../runtime/log.ts';
import * as sql from './host-examiner-sql.ts';

export interface HostExaminerOptions {
  readonly db: Queryable;
  readonly host: Host;
  readonly settings: CheckSettings;
  readonly clock: () => Date;
  readonly log: Log;
}

const A_DAY_MS = 86_400_000;

/**
 * Runs the doctor's short form beside a worker, at its start, every day and on request, and keeps the result for the office:
 * about fifty questions to the catalog, one after the other, and no row of the host is changed.
 */
export class HostExaminer {
  readonly #options: HostExaminerOptions;
  readonly #runs: Interval;
  readonly #stopping = new AbortController();

  constructor(options: HostExaminerOptions) {
    this.#options = options;
    this.#runs = new Interval({
      work: () => this.#examine(),
      everyMs: A_DAY_MS,
      onError: (err) => options.log.warn({ err }, 'the examination of the host could not be saved'),
    });
  }

  start(): void {
    this.#runs.start();
    void this.run();
  }

  /** Examines now, or joins the examination that is in progress. Never rejects. */
  run(): Promise<void> {
    return this.#runs.run();
  }

  /** Resolves behind the question in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#runs.stop();
  }

  async #examine(): Promise<void> {
    const { db, host, settings, clock, log } = this.#options;
    const diagnosis = await reportHost(host, settings, { now: clock, log, signal: this.#stopping.signal });
    if (diagnosis) await saveDiagnosis(db, diagnosis, clock());
  }
}

/** Asks each running worker for an examination. */
export async function askForExamination(db: Queryable): Promise<void> {
  await db.query(notifyExaminations);
}

export function onExaminationAsked(listener: Pick<Listener, 'onNotify'>, examine: () => void): Promise<void> {
  return listener.onNotify(examinationsChannel, examine);
}

/** For a host that the start does not reach. */
export async function saveUnreachable(db: Queryable, error: HostError, at: Date): Promise<void> {
  await saveDiagnosis(db, unreachable(error), at);
}

/** Replaces the earlier result of this machine. */
async function saveDiagnosis(db: Queryable, { go, findings }: Diagnosis, at: Date): Promise<void> {
  await db.query(sql.saveExamination, [hostname(), at, go, JSON.stringify(findings)]);
  await db.query(sql.deleteExaminationsBefore, [new Date(at.getTime() - 2 * A_DAY_MS)]);
}

export interface Examination extends Diagnosis {
  /** The machine of the worker. */
  readonly node: string;
  readonly at: Date;
}

/** The last result of each machine with a worker, a NO-GO first. */
export async function listExaminations(db: Queryable): Promise<Examination[]> {
  const { rows } = await db.query<Omit<Examination, 'findings'> & { findings: string }>(sql.listExaminations);
  return rows.map(({ findings, ...row }) => ({ ...row, findings: readFindings(findings) }));
}

const readFindings: (json: string) => Examination['findings'] = JSON.parse;
