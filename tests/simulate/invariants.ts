import { isDeepStrictEqual } from 'node:util';
import type { LocalStop } from '@tailgate/client-sdk';
import type { Depot } from './depot.ts';
import type { Said } from './diary.ts';
import { fields, saidIn, wordOf } from './diary.ts';
import type { Driver } from './driver.ts';
import { FACILITY, routeOf, STOPS, WEEK } from './fixture.ts';
import { wrongFiles } from './kept-files.ts';
import type { Office, OfficeDeed } from './office.ts';
import { wrongPlans } from './plan.ts';
import type { Asked } from './rest-desk.ts';

// Checks of docs/architecture.md against the real state. They share no rules with the product's code.

/** The values that a stop shows, on a phone or on the host. */
export interface Shown {
  readonly status: string;
  readonly driver_comments: string;
  readonly store_emp_name: string;
  readonly signature_id: string;
  readonly delivered: number;
}

export const shownAfter = (said: Said): Shown => ({
  status: said.status ?? 'P',
  driver_comments: said.driver_comments ?? '',
  store_emp_name: said.store_emp_name ?? '',
  signature_id: said.signature_id ?? '',
  delivered: said.delivered ?? 0,
});

export const shownOn = ({ updates, products }: LocalStop): Shown => ({
  status: updates.status,
  driver_comments: updates.driver_comments ?? '',
  store_emp_name: updates.store_emp_name ?? '',
  signature_id: updates.signature_id ?? '',
  delivered: products[0]?.updates.delivered ?? 0,
});

/** Receipts that report a state too early (I4, I10). The check runs as soon as a receipt changes. */
export async function falseReceipts(
  depot: Depot,
  seed: number,
  accepted: readonly string[],
  hosted: readonly Hosted[],
): Promise<string[]> {
  const wrong: string[] = [];
  if (accepted.length > 0) {
    const { rows } = await depot.db.query<{ id: string }>('select id from ledger where id = any($1::uuid[])', [
      accepted,
    ]);
    const known = new Set(rows.map(({ id }) => id));
    for (const id of accepted) if (!known.has(id)) wrong.push(`${id} reads accepted, and the ledger does not have it`);
  }
  if (hosted.length === 0) return wrong;
  const onHost = await hostShows(depot, seed);
  for (const { id, stop } of hosted)
    if (!onHost.has(stop)) wrong.push(`${id} reads on the host, and the host has no row of stop ${stop}`);
  return wrong;
}

/** A change whose receipt reports that the host has it. */
export interface Hosted {
  readonly id: string;
  readonly stop: number;
}

interface LedgerRow {
  readonly id: string;
  readonly source: 'sync' | 'office' | 'rest';
  readonly client_id: string | null;
  readonly seq: number | null;
  readonly stop_id: number;
  readonly version: number;
  readonly employee: string;
  readonly edit_time: Date;
  readonly body: string;
}

const readBody: (text: string) => { readonly args: unknown } = JSON.parse;

/** The checks of a world at rest. */
export async function brokenPromises(
  depot: Depot,
  seed: number,
  drivers: readonly Driver[],
  { deeds: corrections, plan }: Pick<Office, 'deeds' | 'plan'>,
  asked: readonly Asked[],
): Promise<string[]> {
  const ledger = await readLedger(depot, seed);
  return [
    ...wrongInLedger(
      ledger.filter(({ source }) => source === 'sync'),
      drivers,
    ),
    ...wrongByRest(
      ledger.filter(({ source }) => source === 'rest'),
      asked,
    ),
    ...wrongOfOffice(
      ledger.filter(({ source }) => source === 'office'),
      corrections,
    ),
    ...wrongPlans(seed, plan, drivers),
    ...(await wrongFiles(depot, seed, drivers)),
    ...(await troubles(depot, drivers)),
    ...(await wrongAnywhere(depot, seed, ledger, drivers)),
  ];
}

async function readLedger({ db }: Depot, seed: number): Promise<LedgerRow[]> {
  const { rows } = await db.query<LedgerRow>(
    `select id, source, client_id, seq, stop_id, version, employee, edit_time, body
       from ledger where facility = $1 and route_id = $2 order by client_id nulls last, source, seq, version`,
    [FACILITY, routeOf(seed).id],
  );
  return rows;
}

/** No change is lost, duplicated, reordered or altered. */
function wrongInLedger(ledger: readonly LedgerRow[], drivers: readonly Driver[]): string[] {
  const wrong: string[] = [];
  for (const { diary, employee } of drivers) {
    const entries = ledger.filter((entry) => entry.employee === employee);
    const ids = entries.map(({ id }) => id);
    if (!isDeepStrictEqual(ids, diary.ids))
      wrong.push(`${employee} recorded ${diary.ids.join(' ')}, and the ledger has ${ids.join(' ')}`);
    if (new Set(entries.map((entry) => entry.client_id)).size > 1)
      wrong.push(`the queue of ${employee} was forked, though no phone was copied`);
    for (const [i, entry] of entries.entries()) {
      const said = saidIn(readBody(entry.body).args);
      if (!isDeepStrictEqual(said, diary.content(entry.id)))
        wrong.push(`${entry.id} says ${JSON.stringify(said)}, recorded was ${JSON.stringify(diary.content(entry.id))}`);
      const before = entries[i - 1];
      if (before && before.version > entry.version)
        wrong.push(`${entry.id} follows ${before.id} in its queue, and came before it on the route`);
      if (before && before.edit_time > entry.edit_time)
        wrong.push(`${entry.id} follows ${before.id} in its queue, and has an earlier edit time`);
    }
  }
  return wrong;
}

/** Each REST request is in the ledger once, no matter how often it was sent, with the content that was sent. */
function wrongByRest(ledger: readonly LedgerRow[], asked: readonly Asked[]): string[] {
  const taken = new Map(ledger.map(({ id, body }) => [id, saidIn(readBody(body).args)]));
  const wrong = asked
    .filter(({ id, said }) => !isDeepStrictEqual(taken.get(id), said))
    .map(({ id, said }) => `asked by REST was ${JSON.stringify(said)}, ${id} says ${JSON.stringify(taken.get(id))}`);
  return taken.size === asked.length ? wrong : [...wrong, 'the ledger has more by REST than was asked'];
}

/**
 * Each correction of the office is in the ledger once, with its own edit time. The ledger has no other office entries.
 */
function wrongOfOffice(ledger: readonly LedgerRow[], corrections: readonly OfficeDeed[]): string[] {
  const wrong: string[] = [];
  const taken = new Set<OfficeDeed>();
  for (const entry of ledger) {
    const said = saidIn(readBody(entry.body).args);
    const ofStop = corrections.filter(({ stop }) => stop === entry.stop_id);
    for (const field of fields) {
      if (said[field] === undefined) continue;
      const deed = ofStop.find((each) => each.said[field] === said[field]);
      if (!deed) wrong.push(`${entry.id} of the office says ${field} ${said[field]}, which no clerk has written`);
      else taken.add(deed);
    }
    if (!ofStop.some(({ at }) => at === entry.edit_time.getTime()))
      wrong.push(`${entry.id} of the office is dated ${entry.edit_time.toISOString()}, when no clerk wrote anything`);
  }
  for (const [i, deed] of corrections.entries()) {
    const said = fields.filter((field) => deed.said[field] !== undefined);
    const isOver = corrections
      .slice(i + 1)
      .some(({ stop, said: later }) => stop === deed.stop && said.every((field) => later[field] !== undefined));
    if (!taken.has(deed) && !isOver) wrong.push(`the office’s ${JSON.stringify(deed)} was never taken in`);
  }
  return wrong;
}

async function troubles({ db }: Depot, drivers: readonly Driver[]): Promise<string[]> {
  const employees = drivers.map(({ employee }) => employee);
  const kept = await db.query<{ reason: string }>('select reason from quarantine where employee = any($1)', [
    employees,
  ]);
  const noted = await db.query<{ kind: string }>('select kind from incident where employee = any($1)', [employees]);
  return [
    ...kept.rows.map(({ reason }) => `something good went to quarantine: ${reason}`),
    ...noted.rows.map(({ kind }) => `an incident was noted: ${kind}`),
  ];
}

/** Every phone and the host must show the value of the latest edit: by edit time, then queue, then sequence (I7). */
async function wrongAnywhere(
  depot: Depot,
  seed: number,
  ledger: readonly LedgerRow[],
  drivers: readonly Driver[],
): Promise<string[]> {
  const wrong: string[] = [];
  const recorded = new Map(drivers.flatMap(({ diary }) => diary.ids.map((id) => [id, diary.content(id)] as const)));
  const wordsOf = ({ id, source, body }: LedgerRow): Said =>
    source === 'sync' ? (recorded.get(id) ?? {}) : saidIn(readBody(body).args);
  // The sort is stable: with equal edit times, the order of queues and sequences stays.
  const ordered = ledger.toSorted((a, b) => a.edit_time.getTime() - b.edit_time.getTime());
  const onHost = await hostShows(depot, seed);
  for (let stop = 1; stop <= STOPS; stop++) {
    const deeds = ordered.filter((entry) => entry.stop_id === stop).map((entry) => ({ said: wordsOf(entry) }));
    const expected = shownAfter(wordOf(deeds));
    const compare = (where: string, shown: Shown | undefined): void => {
      if (!isDeepStrictEqual(shown, expected))
        wrong.push(`stop ${stop} reads ${JSON.stringify(shown)} ${where}, not ${JSON.stringify(expected)}`);
    };
    for (const { phone } of drivers.filter(({ hasPhone, isSignedIn }) => hasPhone && isSignedIn)) {
      const local = phone.app?.stop(stop, routeOf(seed)).current;
      compare(`on the phone of ${phone.employee}`, local && shownOn(local));
    }
    if (deeds.length > 0) compare('on the host', onHost.get(stop));
  }
  return wrong;
}

async function hostShows({ host }: Depot, seed: number): Promise<Map<number, Shown>> {
  const { id } = routeOf(seed);
  const stops = await host.query(
    'select RUSTP, RUSTS, RUCMT, RUSNAM, RUSIG from PODDTA.RTSTUP where RUFAC = ? and RURTE = ? and RUWKE = ?',
    [FACILITY, id, WEEK],
  );
  const lines = await host.query('select RQSTP, RQDLV from PODDTA.RTPRUP where RQFAC = ? and RQRTE = ? and RQWKE = ?', [
    FACILITY,
    id,
    WEEK,
  ]);
  return new Map(
    stops.map((row) => {
      const line = lines.find((each) => each['RQSTP'] === row['RUSTP']);
      const shown = {
        status: String(row['RUSTS']),
        driver_comments: String(row['RUCMT']),
        store_emp_name: String(row['RUSNAM']),
        signature_id: String(row['RUSIG']),
        delivered: Number(line?.['RQDLV'] ?? 0),
      };
      return [Number(row['RUSTP']), shown];
    }),
  );
}
