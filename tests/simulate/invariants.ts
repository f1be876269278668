import { isDeepStrictEqual } from 'node:util';
import type { LocalStop } from '@tailgate/client-sdk';
import type { Depot } from './depot.ts';
import type { StopValues } from './driver-history.ts';
import { fields, valuesIn, latestOf } from './driver-history.ts';
import type { Driver } from './driver.ts';
import { FACILITY, routeOf, STOPS, WEEK } from './fixture.ts';
import { wrongFiles } from './stored-files.ts';
import type { Office, OfficeEdit } from './office.ts';
import { wrongPlans } from './plan.ts';
import type { RestRequest } from './rest-drivers.ts';

// Checks of docs/architecture.md against the real state. They share no rules with the product's code.

/** The values that a stop shows, on a phone or on the host. */
export interface ShownStop {
  readonly status: string;
  readonly driver_comments: string;
  readonly store_emp_name: string;
  readonly signature_id: string;
  readonly delivered: number;
}

export const stopAfter = (values: StopValues): ShownStop => ({
  status: values.status ?? 'P',
  driver_comments: values.driver_comments ?? '',
  store_emp_name: values.store_emp_name ?? '',
  signature_id: values.signature_id ?? '',
  delivered: values.delivered ?? 0,
});

export const stopOf = ({ updates, products }: LocalStop): ShownStop => ({
  status: updates.status,
  driver_comments: updates.driver_comments ?? '',
  store_emp_name: updates.store_emp_name ?? '',
  signature_id: updates.signature_id ?? '',
  delivered: products[0]?.updates.delivered ?? 0,
});

/** Receipts that report a state too early (I4, I10). The check runs as soon as a receipt changes. */
export async function prematureReceipts(
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
    for (const id of accepted)
      if (!known.has(id)) wrong.push(`${id} is accepted by its receipt, and the ledger does not have it`);
  }
  if (hosted.length === 0) return wrong;
  const onHost = await hostShows(depot, seed);
  for (const { id, stop } of hosted)
    if (!onHost.has(stop)) wrong.push(`${id} is on_host by its receipt, and the host has no row of stop ${stop}`);
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

/** The checks of a world idle. */
export async function violations(
  depot: Depot,
  seed: number,
  drivers: readonly Driver[],
  { edits: corrections, plan }: Pick<Office, 'edits' | 'plan'>,
  requests: readonly RestRequest[],
): Promise<string[]> {
  const ledger = await readLedger(depot, seed);
  return [
    ...wrongInLedger(
      ledger.filter(({ source }) => source === 'sync'),
      drivers,
    ),
    ...wrongByRest(
      ledger.filter(({ source }) => source === 'rest'),
      requests,
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
  for (const { history, employee } of drivers) {
    const entries = ledger.filter((entry) => entry.employee === employee);
    const ids = entries.map(({ id }) => id);
    if (!isDeepStrictEqual(ids, history.ids))
      wrong.push(`${employee} recorded ${history.ids.join(' ')}, and the ledger has ${ids.join(' ')}`);
    if (new Set(entries.map((entry) => entry.client_id)).size > 1)
      wrong.push(`the queue of ${employee} was forked, though no phone was copied`);
    for (const [i, entry] of entries.entries()) {
      const values = valuesIn(readBody(entry.body).args);
      if (!isDeepStrictEqual(values, history.content(entry.id)))
        wrong.push(
          `${entry.id} contains ${JSON.stringify(values)}, recorded was ${JSON.stringify(history.content(entry.id))}`,
        );
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
function wrongByRest(ledger: readonly LedgerRow[], requests: readonly RestRequest[]): string[] {
  const matched = new Map(ledger.map(({ id, body }) => [id, valuesIn(readBody(body).args)]));
  const wrong = requests
    .filter(({ id, values }) => !isDeepStrictEqual(matched.get(id), values))
    .map(
      ({ id, values }) =>
        `the REST request contained ${JSON.stringify(values)}, ${id} contains ${JSON.stringify(matched.get(id))}`,
    );
  return matched.size === requests.length ? wrong : [...wrong, 'the ledger has REST entries without a request'];
}

/**
 * Each correction of the office is in the ledger once, with its own edit time. The ledger has no other office entries.
 */
function wrongOfOffice(ledger: readonly LedgerRow[], corrections: readonly OfficeEdit[]): string[] {
  const wrong: string[] = [];
  const matched = new Set<OfficeEdit>();
  for (const entry of ledger) {
    const values = valuesIn(readBody(entry.body).args);
    const ofStop = corrections.filter(({ stop }) => stop === entry.stop_id);
    for (const field of fields) {
      if (values[field] === undefined) continue;
      const edit = ofStop.find((each) => each.values[field] === values[field]);
      if (!edit) wrong.push(`${entry.id} of the office contains ${field} ${values[field]}, which no clerk has written`);
      else matched.add(edit);
    }
    if (!ofStop.some(({ at }) => at === entry.edit_time.getTime()))
      wrong.push(`${entry.id} of the office is dated ${entry.edit_time.toISOString()}, when no clerk wrote anything`);
  }
  for (const [i, edit] of corrections.entries()) {
    const values = fields.filter((field) => edit.values[field] !== undefined);
    const isOverwritten = corrections
      .slice(i + 1)
      .some(({ stop, values: later }) => stop === edit.stop && values.every((field) => later[field] !== undefined));
    if (!matched.has(edit) && !isOverwritten) wrong.push(`the office’s ${JSON.stringify(edit)} is not in the ledger`);
  }
  return wrong;
}

async function troubles({ db }: Depot, drivers: readonly Driver[]): Promise<string[]> {
  const employees = drivers.map(({ employee }) => employee);
  const retained = await db.query<{ reason: string }>('select reason from quarantine where employee = any($1)', [
    employees,
  ]);
  const incidents = await db.query<{ kind: string }>('select kind from incident where employee = any($1)', [employees]);
  return [
    ...retained.rows.map(({ reason }) => `a valid change is in quarantine: ${reason}`),
    ...incidents.rows.map(({ kind }) => `an incident was recorded: ${kind}`),
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
  const recorded = new Map(
    drivers.flatMap(({ history }) => history.ids.map((id) => [id, history.content(id)] as const)),
  );
  const valuesOf = ({ id, source, body }: LedgerRow): StopValues =>
    source === 'sync' ? (recorded.get(id) ?? {}) : valuesIn(readBody(body).args);
  // The sort is stable: with equal edit times, the order of queues and sequences stays.
  const ordered = ledger.toSorted((a, b) => a.edit_time.getTime() - b.edit_time.getTime());
  const onHost = await hostShows(depot, seed);
  for (let stop = 1; stop <= STOPS; stop++) {
    const edits = ordered.filter((entry) => entry.stop_id === stop).map((entry) => ({ values: valuesOf(entry) }));
    const expected = stopAfter(latestOf(edits));
    const compare = (where: string, shown: ShownStop | undefined): void => {
      if (!isDeepStrictEqual(shown, expected))
        wrong.push(`stop ${stop} reads ${JSON.stringify(shown)} ${where}, not ${JSON.stringify(expected)}`);
    };
    for (const { phone } of drivers.filter(({ hasPhone, isSignedIn }) => hasPhone && isSignedIn)) {
      const local = phone.app?.stop(stop, routeOf(seed)).current;
      compare(`on the phone of ${phone.employee}`, local && stopOf(local));
    }
    if (edits.length > 0) compare('on the host', onHost.get(stop));
  }
  return wrong;
}

async function hostShows({ host }: Depot, seed: number): Promise<Map<number, ShownStop>> {
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
