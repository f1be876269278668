import type { LocalRoute, LocalStop, ReceiptState } from '@tailgate/client-sdk';
import type { UnsentFile, UploadStatus } from '@tailgate/client-sdk/uploads';
import { filesOf } from '@tailgate/client-sdk/uploads';
import { isPending, warehouse } from './order.ts';
import { latestTimes, ticksOf } from './ticks.ts';

/** Something that is not at the back office yet: what it is, where it is, and since when (ms since 1970). */
export type Left = { readonly since: number | undefined } & (
  | { readonly kind: 'change'; readonly stop: LocalStop; readonly n: number }
  | { readonly kind: 'server' | 'parked'; readonly stop: LocalStop }
  | { readonly kind: 'review'; readonly stop: LocalStop; readonly code: string }
  | {
      readonly kind: 'file';
      readonly file: UnsentFile;
      /** The stop that names it; undefined for the photo of a report or of a half-filled stop. */
      readonly stop: LocalStop | undefined;
      /** The number among the stop's photos; undefined for a signature. */
      readonly photo: { readonly n: number; readonly total: number } | undefined;
      readonly percent: number;
    }
  | { readonly kind: 'failed'; readonly id: string; readonly name: string; readonly why: string }
  /** Changes of no stop of this route: a report, or an earlier route. */
  | { readonly kind: 'other'; readonly n: number }
);

/** A driver's day: three numbers, and each thing that is not at the back office, the oldest first. */
export interface Day {
  /** Changes and files that only this phone has. */
  readonly here: number;
  /** Stops that the server has and the back office has not. */
  readonly atServer: number;
  /** Customers' stops: a driver compares it with the stops that are done. */
  readonly atOffice: number;
  /** Customers' stops that are done without a record on this phone: it cannot say whether the back office has them. */
  readonly elsewhere: number;
  readonly left: readonly Left[];
}

interface DayParts {
  readonly route: Pick<LocalRoute, 'stops'> | undefined;
  readonly statesOf: (stop: LocalStop) => readonly ReceiptState[];
  readonly files: Pick<UploadStatus, 'files' | 'sending' | 'failed'>;
  readonly employee: string;
  /** Changes of this driver without an answer from the server. */
  readonly pending: number;
  readonly oldestPendingAt: number | undefined;
}

export function dayOf({ route, statesOf, files, employee, pending, oldestPendingAt }: DayParts): Day {
  const stops = (route?.stops ?? []).map((stop) => ({ stop, states: statesOf(stop) }));
  const rows = stops
    .filter(({ stop }) => stop.id !== warehouse)
    .map(({ stop, states }) => ({ stop, ticks: ticksOf(states, stop.parked) }));
  const ofStops = stops.flatMap(({ stop, states }) => leftOf(stop, states));
  const shown = ofStops.reduce((sum, left) => sum + (left.kind === 'change' ? left.n : 0), 0);
  const others: Left[] =
    pending > shown ? [{ kind: 'other', n: pending - shown, since: shown === 0 ? oldestPendingAt : undefined }] : [];
  const isOwn = (file: Pick<UnsentFile, 'employee'>): boolean => file.employee === employee;
  const own = files.files.filter(isOwn);
  const left = [
    ...ofStops,
    ...others,
    ...own.map((file) => leftFile(file, route?.stops ?? [], files.sending)),
    ...files.failed
      .filter(isOwn)
      .map(({ id, name, reason }): Left => ({ kind: 'failed', id, name, why: reason, since: undefined })),
  ].sort((a, b) => (a.since ?? 0) - (b.since ?? 0));
  return {
    here: pending + own.length,
    atServer: new Set(
      ofStops.flatMap((each) => ('stop' in each && each.stop && each.kind !== 'change' ? each.stop.id : [])),
    ).size,
    atOffice: rows.filter(({ ticks }) => ticks?.office === 'yes').length,
    elsewhere: rows.filter(({ stop, ticks }) => ticks === undefined && !isPending(stop)).length,
    left,
  };
}

/** What is left of a stop's changes, each place once. */
function leftOf(stop: LocalStop, states: readonly ReceiptState[]): Left[] {
  const waiting = states.filter(({ at }) => at === 'recorded' || at === 'saved');
  const accepted = states.filter(({ at }) => at === 'accepted');
  const reviews = states.flatMap((state) =>
    state.at === 'quarantined' && state.dismissed === undefined ? [state] : [],
  );
  const since = oldest(waiting.map((state) => ('recordedAt' in state ? state.recordedAt : undefined)));
  const { accepted: acceptedAt } = latestTimes(accepted);
  return [
    ...(waiting.length > 0 ? [{ kind: 'change' as const, stop, n: waiting.length, since }] : []),
    ...(stop.parked || accepted.length > 0
      ? [{ kind: stop.parked ? ('parked' as const) : ('server' as const), stop, since: acceptedAt }]
      : []),
    ...reviews.map(({ code, recordedAt }): Left => ({ kind: 'review', stop, code, since: recordedAt })),
  ];
}

function leftFile(file: UnsentFile, stops: readonly LocalStop[], sending: UploadStatus['sending']): Left {
  const stop = stops.find((each) => filesOf(each).includes(file.id));
  const photos = stop ? filesOf(stop).filter((id) => id !== stop.updates.signature_id) : [];
  const place = photos.indexOf(file.id);
  const percent = sending?.id === file.id ? Math.floor((100 * sending.sent) / Math.max(1, sending.size)) : 0;
  const photo = place < 0 ? undefined : { n: place + 1, total: photos.length };
  return { kind: 'file', file, stop, photo, percent, since: file.added };
}

function oldest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}
