import type { Db, Queryable } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { settledAt } from '../flags/settled.ts';
import { runningRetries } from '../parked/by-cause.ts';
import { judge } from './judge.ts';
import { placeIn } from './incident-place.ts';
import * as sql from './attention-sql.ts';
import { attentionOperations } from './contract.ts';
import type { Attention, AttentionCause, AttentionCounts, AttentionItem, AttentionKind } from './contract.ts';

export interface AttentionDeps {
  readonly db: Db;
  readonly clock: () => Date;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** An entry of this kind needs a person after this time; all others at once. */
const graceMs: Partial<Readonly<Record<AttentionKind, number>>> = {
  silent_phone: HOUR_MS,
  missing_file: HOUR_MS,
  hold: HOUR_MS,
};
const WAITING_CLOSE_MS = 5 * MINUTE_MS;
/** Older flags are history. */
const FLAGS_MS = 3 * DAY_MS;

type CauseRow = Pick<AttentionCause, 'cause' | 'kind' | 'count' | 'capped' | 'file' | 'code' | 'message'> & {
  readonly oldest_at: Date;
  readonly newest_at: Date;
  readonly items: readonly AttentionItem[];
};

/** Reads all kinds in one statement. */
async function readAttention({ db, clock }: AttentionDeps): Promise<Attention> {
  const [causes, retries] = await Promise.all([readCauses(db, clock()), runningRetries(db)]);
  const running = new Map(retries.map((retry) => [`parked:${retry.cause}`, retry]));
  const listed = causes.map((row) => {
    const act = running.get(row.cause);
    const under = act && {
      act: act.act,
      by: act.by,
      at: act.at.toISOString(),
      count: act.count,
      ends_at: act.endsAt?.toISOString() ?? null,
    };
    return causeOf(row, under ?? null);
  });
  listed.sort((a, b) => compare(a.oldest_at, b.oldest_at) || compare(a.cause, b.cause));
  return { counts: countsOf(listed), causes: listed };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

async function readCauses(db: Queryable, now: Date): Promise<readonly CauseRow[]> {
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const day = ago(DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
  const values = [ago(WAITING_CLOSE_MS), ago(FLAGS_MS), settledAt(now), ago(HOUR_MS), day];
  return (await db.query<CauseRow & Record<string, unknown>>(sql.readAttention, values)).rows;
}

function causeOf(row: CauseRow, running: AttentionCause['running']): AttentionCause {
  const { cause, count, capped, file, code, message } = row;
  // An incident about a file that never came belongs to the files: the file is awaited since a day before.
  const isAwaited = cause === 'incident:asset_missing';
  const kind = isAwaited ? 'missing_file' : row.kind;
  const began = (at: Date): Date => (isAwaited ? new Date(at.getTime() - DAY_MS) : at);
  const oldest = began(row.oldest_at);
  const since = new Date(oldest.getTime() + (graceMs[kind] ?? 0));
  return {
    cause,
    kind,
    count,
    capped,
    oldest_at: oldest.toISOString(),
    newest_at: began(row.newest_at).toISOString(),
    since: since.toISOString(),
    file,
    code,
    message,
    items: row.items.map((item) => itemOf({ ...item, at: began(new Date(item.at)).toISOString() }, row.kind)),
    ...judge({ kind: row.kind, cause, count, file, code }),
    running,
  };
}

const itemOf = (item: AttentionItem, kind: AttentionKind): AttentionItem => ({
  ...item,
  ...(kind === 'incident' && { text: '', ...placeIn(item.text) }),
});

function countsOf(causes: readonly AttentionCause[]): AttentionCounts {
  const counts = { total: 0, ...emptyCounts };
  for (const { kind, count } of causes) {
    counts[kind] += count;
    counts.total += count;
  }
  return counts;
}

const emptyCounts = {
  parked: 0,
  quarantine: 0,
  incident: 0,
  flag: 0,
  silent_phone: 0,
  missing_file: 0,
  hold: 0,
  late_close: 0,
} satisfies Record<AttentionKind, number>;

/** Operators: what needs a person. */
export function attentionEndpoints(deps: AttentionDeps) {
  return {
    readAttention: endpoint(attentionOperations.readAttention, async () => ({ data: await readAttention(deps) })),
  };
}
