import { withCompletions } from './closing.ts';
import type { DriverEvidence, Edit, Evidence, Row } from './evidence.ts';
import { diaryStop, FACILITY, routesOf } from './fixture.ts';
import type { PhoneClock } from './phone-clock.ts';
import { isNear, timeText, TOLERANCE_MS } from './moments.ts';
import { deedOfOffice } from './office-edits.ts';
import { foundValuesOf, valuesOf } from './reading.ts';

interface LedgerRow extends Row {
  readonly id: string;
  readonly source: Edit['source'];
  readonly client_id: string | null;
  readonly route_id: string;
  readonly stop_id: number;
  readonly version: number;
  readonly seq: number | null;
  readonly employee: string;
  readonly edit_time: Date;
  readonly received_at: Date;
  readonly body: string;
}

/** All edits of a route and all reports of its drivers, each queue in the order of its numbers. */
export async function readEdits({ db, seed, drivers, requests, office, restores, now }: Evidence): Promise<Edit[]> {
  const { rows } = await db.query<LedgerRow>(
    `select id, source, client_id, route_id, stop_id, version, seq::int as seq, employee, edit_time, received_at, body
       from ledger where facility = $1 and route_id = any($2) or facility = '' and employee = any($3)
      order by client_id nulls last, source, seq, version`,
    [FACILITY, routesOf(seed).map(({ id }) => id), drivers.map(({ employee }) => employee)],
  );
  const received = new Set(rows.map(({ id }) => id));
  for (const { history } of drivers) history.findStrays(received);
  const edits = rows.map((row): Edit => {
    const { id, source, employee, client_id: clientId, version, seq } = row;
    const [editTime, receivedAt] = [row.edit_time.getTime(), row.received_at.getTime()];
    const stop = diaryStop(seed, row.route_id, row.stop_id);
    const place = { id, source, stop, employee, clientId, version, seq, editTime, receivedAt, isByV20: false };
    if (source === 'timer') return { ...place, stored: {}, values: {}, at: receivedAt, ...untold };
    const stored = source === 'office' && restores.hasHappened ? foundValuesOf(row.body) : valuesOf(row.body);
    const known = { ...place, stored };
    if (source === 'office') return { ...known, ...deedOfOffice(known, { office, restores }), ...untold };
    if (source === 'rest') {
      const request = requests.find((each) => each.id === id);
      const at = request?.sentAt.find((time) => time === editTime);
      const isByV20 = request?.isByV20 ?? false;
      return { ...known, isByV20, values: request?.values, at, ...untold };
    }
    const driver = drivers.find((each) => each.employee === employee && each.history.has(id));
    const clocks = drivers.filter((each) => each.employee === employee).map(({ phone }) => phone.clock);
    return { ...known, ...deedOf(driver, { id, now, clocks }) };
  });
  return withCompletions(withoutShifted(edits), seed);
}

/**
 * An edit is never before its predecessor in the queue, whose time may be wrong where no clock could show it. Then the
 * model does not know the time of this edit, either. A dismissed predecessor is in no ledger: its time is at most the
 * receipt.
 */
function withoutShifted(edits: readonly Edit[]): Edit[] {
  const known: Edit[] = [];
  for (const edit of edits) {
    const before = known.at(-1);
    const follows = before?.clientId === edit.clientId && before.seq === Number(edit.seq) - 1;
    const isShifted = follows
      ? before.at === undefined && before.editTime === edit.editTime
      : edit.seq !== 1 && edit.editTime === edit.receivedAt;
    known.push(edit.clientId !== null && isShifted ? { ...edit, at: undefined, ...untold } : edit);
  }
  return known;
}

/** No driver recorded a time. */
const untold = { endedAt: undefined, skippedAt: undefined };

function deedOf(
  driver: DriverEvidence | undefined,
  { id, now, clocks }: { readonly id: string; readonly now: number; readonly clocks: readonly PhoneClock[] },
): Pick<Edit, 'values' | 'at' | 'endedAt' | 'skippedAt'> {
  const taps = driver?.history.taps.filter((tap) => tap.id === id) ?? [];
  const begun = taps[0]?.at;
  if (!driver || begun === undefined) return { values: undefined, at: undefined, ...untold };
  // A copy of the phone may have sent the change first.
  const until = driver.history.acceptedAt.get(id) ?? now;
  const isTraceable = clocks.every((clock) => clock.isTraceable(begun, until));
  const tappedAt = (field: 'end_delivery_time' | 'skip_refuse_timestamp'): number | undefined =>
    isTraceable ? taps.findLast(({ values }) => values[field] !== undefined)?.at : undefined;
  return {
    values: driver.history.content(id),
    at: isTraceable ? begun : undefined,
    endedAt: tappedAt('end_delivery_time'),
    skippedAt: tappedAt('skip_refuse_timestamp'),
  };
}

/** The ledger dates each edit when it happened, and orders edits of different people as they happened. */
export function wrongTimes(edits: readonly Edit[]): string[] {
  const wrong: string[] = [];
  for (const edit of edits)
    if (edit.at !== undefined && !isNear(edit.editTime, edit.at))
      wrong.push(
        `${edit.id} of ${edit.employee} happened at ${timeText(edit.at)}, and the ledger has ${timeText(edit.editTime)}`,
      );
  for (const one of edits)
    for (const other of edits)
      if (isSurelyBefore(one, other) && one.editTime > other.editTime)
        wrong.push(`${one.id} happened before ${other.id}, and the ledger orders it after`);
  return wrong;
}

/** By the true times alone. */
export const isSurelyBefore = (one: Pick<Edit, 'at'>, other: Pick<Edit, 'at'>): boolean =>
  one.at !== undefined && other.at !== undefined && other.at - one.at > 2 * TOLERANCE_MS;
