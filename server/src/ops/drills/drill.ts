import { basename } from 'node:path';
import type { Backup } from '../../backup/backups.ts';
import { withRestored, type Scratch, type ScratchOptions } from '../../backup/scratch-postgres.ts';
import { readMigrations } from '../../db/migrate.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Queryable } from '../../db/types.ts';
import { reportIncident } from '../../incidents/sql.ts';
import { reasonOf, StartError } from '../../runtime/start-error.ts';
import type { DrillFinding } from './contract.ts';
import { placeName, verifyChain, type SealedBody } from '../history/chain.ts';
import * as sql from './drills-sql.ts';

export interface Drill {
  readonly drillId: string;
  readonly at: Date;
  readonly backup: string;
  /** The start of the backup; undefined where it cannot be read. */
  readonly backupAt: Date | undefined;
  readonly ok: boolean;
  readonly seconds: number;
  readonly findings: readonly DrillFinding[];
}

export interface DrillOptions {
  /** The database of the servers. */
  readonly db: Db;
  /** Its user and name: the copy has the same ones. */
  readonly user: string;
  readonly database: string;
  readonly scratch: ScratchOptions;
  readonly migrations: string;
  readonly newId: () => string;
  readonly clock: () => Date;
}

/** Restores a backup on trial and records the result; a failure is an incident, too. */
export async function runDrill(backup: Backup, options: DrillOptions): Promise<Drill> {
  const { db, clock } = options;
  const at = clock();
  let backupAt: Date | undefined;
  const findings = await withRestored(backup, options.scratch, async (scratch) => {
    backupAt = scratch.manifest.startedAt;
    return examineCopy(scratch, options);
  }).catch((error: unknown) => [failure('recovery', error)]);
  const seconds = Math.round((clock().getTime() - at.getTime()) / 1_000);
  const ok = findings.every((finding) => finding.ok);
  const drill: Drill = {
    drillId: options.newId(),
    at,
    backup: basename(backup.folder),
    backupAt,
    ok,
    seconds,
    findings,
  };
  await withTransaction(db, async (tx) => {
    const texts = JSON.stringify(findings);
    await tx.query(sql.saveDrill, [drill.drillId, at, drill.backup, backupAt ?? null, ok, seconds, texts]);
    if (ok) return;
    const failed = findings.filter((finding) => !finding.ok);
    await tx.query(reportIncident, ['restore_drill_failed', JSON.stringify({ backup: drill.backup, failed })]);
  });
  return drill;
}

async function examineCopy(scratch: Scratch, options: DrillOptions): Promise<DrillFinding[]> {
  const { damage } = scratch;
  const { files, startedAt } = scratch.manifest;
  if (damage.length > 0)
    return [
      {
        check: 'files',
        ok: false,
        says: `${damage.length} of ${files.length} files: ${damage.slice(0, 3).join(', ')}`,
      },
    ];
  const copy = await scratch.connect(options.user, options.database);
  try {
    return [
      { check: 'files', ok: true, says: `all ${files.length} files have the size and checksum of the manifest` },
      {
        check: 'recovery',
        ok: true,
        says: `PostgreSQL has recovered the state of ${startedAt.toISOString()} or later`,
      },
      ...(await checked('migrations', () => checkMigrations(copy, options.migrations))),
      ...(await checked('contents', () => checkContents(copy, options.db, startedAt))),
      ...(await checked('chains', () => checkChains(copy))),
    ];
  } finally {
    await copy.end();
  }
}

/** A check that cannot be made is a finding, too: a drill without a record would be no news to anyone. */
async function checked(
  check: DrillFinding['check'],
  work: () => Promise<DrillFinding | DrillFinding[]>,
): Promise<DrillFinding[]> {
  return [await work().catch((error: unknown) => failure(check, error))].flat();
}

const failure = (check: DrillFinding['check'], error: unknown): DrillFinding => ({
  check,
  ok: false,
  says: error instanceof StartError ? error.message : `the check failed: ${reasonOf(error)}`,
});

async function checkMigrations(copy: Queryable, folder: string): Promise<DrillFinding> {
  const known = new Map((await readMigrations(folder)).map(({ number, sha256 }) => [number, sha256]));
  const { rows } = await copy.query<{ number: number; name: string; sha256: string }>(sql.listMigrations);
  const foreign = rows.filter(({ number, sha256 }) => known.get(number) !== sha256).map(({ name }) => name);
  const missing = known.size - (rows.length - foreign.length);
  if (foreign.length > 0)
    return { check: 'migrations', ok: false, says: `this release does not know ${foreign.slice(0, 3).join(', ')}` };
  if (rows.length === 0) return { check: 'migrations', ok: false, says: 'the copy has no tables of the service' };
  const rest = missing === 0 ? 'all' : `a start adds ${missing}`;
  return { check: 'migrations', ok: true, says: `${rows.length} migrations, ${rest}` };
}

/** A change is received up to a minute before its commit: the time of requests, and of a slow disk. */
const COMMIT_MS = 60_000;

interface Contents {
  readonly routes: number;
  readonly changes: number;
  readonly queues: number;
  readonly files: number;
  readonly epoch: number | null;
  readonly cluster: string;
}

async function checkContents(copy: Queryable, db: Queryable, startedAt: Date): Promise<DrillFinding[]> {
  const before = new Date(startedAt.getTime() - COMMIT_MS);
  const [restored, live] = [await contentsOf(copy, before), await contentsOf(db, before)];
  const isOurs = restored.cluster === live.cluster;
  const isEarlier = restored.epoch !== null && live.epoch !== null && restored.epoch <= live.epoch;
  const epoch = `epoch ${restored.epoch ?? 'none'}, the servers are in ${live.epoch ?? 'none'}`;
  // Retention deletes on the servers alone: the copy may have more.
  const lacking = live.changes - restored.changes;
  const { routes, changes, queues, files } = restored;
  const counted = `${routes} routes, ${changes} changes, ${queues} queues, ${files} files`;
  return [
    {
      check: 'epoch',
      ok: isOurs && isEarlier,
      says: isOurs ? epoch : 'the backup belongs to another PostgreSQL than the servers use',
    },
    {
      check: 'contents',
      ok: lacking <= 0,
      says: lacking <= 0 ? counted : `${counted}: ${lacking} changes from before the backup are missing`,
    },
  ];
}

async function contentsOf(db: Queryable, before: Date): Promise<Contents> {
  const { rows } = await db.query<Contents>(sql.countContents, [before]);
  const [contents] = rows;
  if (!contents) throw new Error('a count has no row');
  return contents;
}

const PAGE = 5_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Each queue's items in the ledger: their texts, and the link of each to the one before it where that one is there. */
async function checkChains(copy: Queryable): Promise<DrillFinding> {
  await copy.query(sql.indexQueues);
  let last: SealedBody | undefined;
  let items = 0;
  const faults: string[] = [];
  for (;;) {
    const { rows } = await copy.query<SealedBody>(sql.readSealed, [last?.client_id ?? FIRST, last?.seq ?? 0, PAGE]);
    const before = new Map(
      [...(last ? [last] : []), ...rows].map((item) => [placeName(item.client_id ?? '', item.seq ?? 0), item]),
    );
    const { links } = verifyChain(rows, before, new Map());
    faults.push(...links.filter(({ body, link }) => body === 'altered' || link === 'broken').map(({ id }) => id));
    items += rows.length;
    last = rows.at(-1);
    if (rows.length < PAGE) break;
  }
  if (faults.length === 0)
    return { check: 'chains', ok: true, says: `${items} items of queues are as phones sealed them` };
  return {
    check: 'chains',
    ok: false,
    says: `${faults.length} of ${items} items differ: ${faults.slice(0, 3).join(', ')}`,
  };
}
