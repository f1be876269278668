import type { RouteKey, Stamp, StopObject, StopResult } from '@tailgate/sync-protocol';
import { applyStopUpdate, officeSource } from '@tailgate/sync-protocol';
import { amendmentOf } from '../../stops/amendment.ts';
import { noRows, type StopOnHost, type StopRows } from '../../stops/host-stop.ts';
import { plansFromHost } from '../../stops/plan-from-host.ts';
import type { HostStops } from '../to-host/host-stops.ts';
import { instantOf } from '../../host/files/local-time.ts';
import type { RouteRows } from '../../host/reads/reads.ts';
import type { ServicePart } from '../../host/files/tables.ts';
import type { Inheritance, InheritedStop } from './mirror-route.ts';
import type { RouteImage } from './route-changes.ts';

/** A route's host rows in the mirror's terms; undefined where the host has no such route. */
export function routeImage(rows: RouteRows, zone: string, now: Date): RouteImage | undefined {
  const { header } = rows;
  if (header === undefined) return undefined;
  const weekEnd = instantOf({ date: header.RHWKE, time: '235959' }, zone) ?? now;
  return {
    name: header.RHNAM,
    trailer: header.RHTRLR,
    emailFlag: header.RHEMLF === 'Y',
    dispatchedOn: Number(header.RHDSDT) === 0 ? '' : header.RHDSDT,
    drivers: rows.drivers.map(({ RDEMP, RDTYP, RDSEQ }) => ({ employee: RDEMP, type: RDTYP, seq: Number(RDSEQ) })),
    plans: plansFromHost(rows),
    closing: closingOf(header, zone, weekEnd < now ? weekEnd : now),
  };
}

type ClosingColumns = Pick<ServicePart<'RTHDRP'>, 'RHPODS' | 'RHRETM' | 'RHCLDT' | 'RHCLTM' | 'RHCLBY'>;

/** The state of a route from its header. @param otherwise the closing time, where the header has an impossible one */
export function closingOf(
  header: ClosingColumns,
  zone: string,
  otherwise: Date,
): RouteImage['closing'] & { readonly impossible: readonly (keyof typeof header)[] } {
  const closed = header.RHPODS === 'C';
  const closedAt = instantOf({ date: header.RHCLDT, time: header.RHCLTM }, zone);
  const closedBy = closers.find((known) => known === header.RHCLBY);
  return {
    status: closed ? 'C' : 'O',
    arrived: header.RHRETM === 'Y',
    closedAt: closed ? (closedAt ?? otherwise) : null,
    closedBy: closed ? (closedBy ?? 'F') : null,
    columns: closingColumnsOf(header),
    impossible: [
      ...(['', 'C'].includes(header.RHPODS) ? [] : (['RHPODS'] as const)),
      ...(['', 'N', 'Y'].includes(header.RHRETM) ? [] : (['RHRETM'] as const)),
      ...(closedAt === undefined ? (['RHCLDT'] as const) : []),
      ...(closedBy === undefined && header.RHCLBY !== '' ? (['RHCLBY'] as const) : []),
    ],
  };
}

const closingColumnsOf = ({ RHPODS, RHRETM, RHCLDT, RHCLTM, RHCLBY }: ClosingColumns): ClosingColumns => ({
  RHPODS,
  RHRETM,
  RHCLDT,
  RHCLTM,
  RHCLBY,
});

const closers = ['D', 'A', 'F'] as const;

/**
 * Results that are on the host when a route first appears: written by hand, or by an earlier installation of this
 * service. The mirror takes them over without a ledger entry, since no change was made just now.
 */
export async function inheritanceOf(
  host: HostStops,
  key: RouteKey,
  { rows, zone, now }: { readonly rows: RouteRows; readonly zone: string; readonly now: Date },
): Promise<Inheritance> {
  const written = new Set(rows.results.map(({ RUSTP }) => RUSTP));
  const touched = rows.stops.filter(
    ({ RSSTP, RSSTS, RSARVF }) => written.has(RSSTP) || !['', 'P'].includes(RSSTS) || !['', 'N'].includes(RSARVF),
  );
  const inheritance = new Map<number, InheritedStop>();
  for (const { RSSTP } of touched) {
    const stop = Number(RSSTP);
    const hostStop = await host.read(key, stop);
    if (hostStop !== undefined) inheritance.set(stop, inheritedStop(key, stop, hostStop, { zone, now }));
  }
  return inheritance;
}

function inheritedStop(
  key: RouteKey,
  stop: number,
  hostStop: StopOnHost,
  { zone, now }: { readonly zone: string; readonly now: Date },
): InheritedStop {
  const comparison = { key, stop, result: { status: 'P' as const }, shadow: undefined, hostStop };
  const { update, unmapped } = amendmentOf(comparison, (moment) => instantOf(moment, zone));
  return { result: resultOf(update, now), hostStop, unmapped };
}

/**
 * A stop as its confirmed rows show it, with the lines that it has on the host. A restored mirror may have later changes
 * again: the lists of a lost write must not be mixed with theirs.
 */
export function confirmedResult(
  key: RouteKey,
  stop: number,
  { confirmed = noRows, found }: { readonly confirmed: StopRows | undefined; readonly found: StopRows },
  zone: string,
): StopResult {
  const rows = { ...confirmed, RTPRUP: found.RTPRUP };
  // Times of the result have no influence on its lists.
  return inheritedStop(key, stop, { rows, credited: new Set() }, { zone, now: new Date(0) }).result;
}

function resultOf(update: StopObject | undefined, now: Date): StopResult {
  if (update === undefined) return { status: 'P' };
  const stamp: Stamp = { at: now.getTime(), client: officeSource, seq: 1, by: '' };
  const { result } = applyStopUpdate({ status: 'P' }, update, stamp);
  // From a driver, C counts as D; on the host it means that the autoclose has run.
  return update.updates?.status === 'C' ? { ...result, status: 'C' } : result;
}
