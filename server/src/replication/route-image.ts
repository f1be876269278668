import type { RouteKey, Stamp, StopResult } from '@tailgate/sync-protocol';
import { applyStopUpdate, officeSource } from '@tailgate/sync-protocol';
import { amendmentOf } from '../stops/amendment.ts';
import type { HeldStop } from '../stops/host-stop.ts';
import { plansFromHost } from '../stops/plan-from-host.ts';
import type { HostStops } from './host-stops.ts';
import { instantOf } from './host/local-time.ts';
import type { RouteRows } from './host/reads.ts';
import type { ServicePart } from './host/tables.ts';
import type { Inheritance } from './mirror-route.ts';
import type { RouteImage } from './route-changes.ts';

/** A route's host rows in the mirror's words; undefined where the host has no such route. */
export function routeImage(rows: RouteRows, zone: string, now: Date): RouteImage | undefined {
  const { header } = rows;
  if (header === undefined) return undefined;
  return {
    name: header.RHNAM,
    trailer: header.RHTRLR,
    emailFlag: header.RHEMLF === 'Y',
    dispatchedOn: Number(header.RHDSDT) === 0 ? '' : header.RHDSDT,
    drivers: rows.drivers.map(({ RDEMP, RDTYP, RDSEQ }) => ({ employee: RDEMP, type: RDTYP, seq: Number(RDSEQ) })),
    plans: plansFromHost(rows),
    closing: closingOf(header, zone, now),
  };
}

/** The state of a route as its header tells it; a close without a date was just now. */
export function closingOf(
  header: Pick<ServicePart<'RTHDRP'>, 'RHPODS' | 'RHRETM' | 'RHCLDT' | 'RHCLTM' | 'RHCLBY'>,
  zone: string,
  now: Date,
): RouteImage['closing'] & { readonly impossible: readonly (keyof typeof header)[] } {
  const closed = header.RHPODS === 'C';
  const closedAt = instantOf({ date: header.RHCLDT, time: header.RHCLTM }, zone);
  const closedBy = closers.find((known) => known === header.RHCLBY);
  return {
    status: closed ? 'C' : 'O',
    arrived: header.RHRETM === 'Y',
    closedAt: closed ? (closedAt ?? now) : null,
    closedBy: closed ? (closedBy ?? 'F') : null,
    impossible: [
      ...(['', 'C'].includes(header.RHPODS) ? [] : (['RHPODS'] as const)),
      ...(['', 'N', 'Y'].includes(header.RHRETM) ? [] : (['RHRETM'] as const)),
      ...(closedAt === undefined ? (['RHCLDT'] as const) : []),
      ...(closedBy === undefined && header.RHCLBY !== '' ? (['RHCLBY'] as const) : []),
    ],
  };
}

const closers = ['D', 'A', 'F'] as const;

/**
 * Results that stand on the host already when a route is first seen: written by an earlier life of this service, or by
 * hand. They are taken over as they are, without a ledger entry: nobody did anything just now.
 */
export async function inheritanceOf(
  host: HostStops,
  key: RouteKey,
  { rows, zone, now }: { readonly rows: RouteRows; readonly zone: string; readonly now: Date },
): Promise<Inheritance> {
  const written = new Set(rows.results.map(({ RUSTP }) => RUSTP));
  const touched = rows.stops.filter(
    ({ RSSTP, RSSTS, RSARVF }) => written.has(RSSTP) || !['', 'P'].includes(RSSTS) || RSARVF === 'Y',
  );
  const inheritance = new Map<number, { result: StopResult; held: HeldStop }>();
  for (const { RSSTP } of touched) {
    const stop = Number(RSSTP);
    const held = await host.read(key, stop);
    if (held !== undefined) inheritance.set(stop, { result: resultOf(key, stop, held, zone, now), held });
  }
  return inheritance;
}

function resultOf(key: RouteKey, stop: number, found: HeldStop, zone: string, now: Date): StopResult {
  const stand = { key, stop, result: { status: 'P' as const }, held: undefined, found };
  const { update } = amendmentOf(stand, (moment) => instantOf(moment, zone));
  const stamp: Stamp = { at: now.getTime(), client: officeSource, seq: 1, by: '' };
  if (update === undefined) return { status: 'P' };
  const { result } = applyStopUpdate({ status: 'P' }, update, stamp);
  // Sent by a driver a C counts as D; on the host it says that the autoclose has been there.
  return update.updates?.status === 'C' ? { ...result, status: 'C' } : result;
}
