import type { Evidence } from './evidence.ts';
import { LATE_STOP } from './fixture.ts';

/** Decisions of an operator about changes that the server could not apply, by the id of the change. */
export class Rulings {
  readonly dismissals = new Map<string, Ruling>();
  readonly releases = new Map<string, Ruling>();
  /** The latest skip of each parked stop. */
  readonly skips = new Map<number, Ruling>();
}

interface Ruling {
  readonly by: string;
  readonly note: string;
}

/** A REST client that sends a refused request again releases it by that. */
const SENDER = 'sender';

/**
 * The quarantine has only changes of the stop that was not planned, and each has its decision, with author and note. A
 * driver's review shows the dismissed changes of that driver, with the reason of the office.
 */
export async function wrongReviews({ db, drivers, requests, rulings }: Evidence): Promise<string[]> {
  const { rows } = await db.query<{
    readonly id: string;
    readonly employee: string;
    readonly stop_id: number;
    readonly code: string;
    readonly state: string;
    readonly resolved_by: string;
    readonly note: string;
  }>('select id, employee, stop_id, code, state, resolved_by, note from quarantine where employee = any($1)', [
    drivers.map(({ employee }) => employee),
  ]);
  const wrong: string[] = [];
  for (const { id, employee, stop_id, code, state, resolved_by: by, note } of rows) {
    const recorded =
      drivers.some((driver) => driver.employee === employee && driver.history.ids.includes(id)) ||
      requests.some((request) => request.employee === employee && request.id === id);
    if (!recorded) wrong.push(`the quarantine has ${id} of ${employee}, who has not recorded it`);
    const isNewer = drivers.some(({ history }) => history.isOfNewerKind(id));
    if (isNewer ? code !== 'UNKNOWN_MUTATION' : stop_id !== LATE_STOP || code !== 'STOP_NOT_FOUND')
      wrong.push(`a valid change of stop ${stop_id} is in quarantine: ${code}`);
    if (isNewer && rulings.releases.has(id)) wrong.push(`${id} was applied, and the server does not know its kind`);
    const ruling = rulings.releases.get(id) ?? rulings.dismissals.get(id);
    const isDecided = ruling ? ruling.by === by && ruling.note === note : state === 'released' && by === SENDER;
    const expected = rulings.releases.has(id) || !ruling ? 'released' : 'dismissed';
    if (state !== expected || !isDecided)
      wrong.push(`${id} is ${state} in quarantine by ${by} (${note}), not ${expected} by ${ruling?.by ?? SENDER}`);
  }
  for (const { employee, hasPhone, isSignedIn, history, phone } of drivers) {
    if (!hasPhone || !isSignedIn || !phone.app) continue;
    const expected = history.ids.flatMap((id) => {
      const ruling = rulings.dismissals.get(id);
      const code = history.isOfNewerKind(id) ? 'UNKNOWN_MUTATION' : 'STOP_NOT_FOUND';
      return ruling ? [`${id} ${code} ${ruling.note} (${ruling.by.replace('machine:', '')})`] : [];
    });
    const shown = phone.app.review.current.map(({ id, code, dismissed }) => `${id} ${code} ${dismissed ?? 'open'}`);
    if (expected.join('; ') !== shown.join('; '))
      wrong.push(`the review of ${employee} shows ${shown.join('; ')}, not ${expected.join('; ')}`);
  }
  return wrong;
}
