import type { RouteKey, StopResult } from '@tailgate/sync-protocol';
import { hostMoment } from '../../../host/files/local-time.ts';
import { hostRows, isUntouched } from '../../../stops/host-rows.ts';
import type { StopOnHost, StopRows } from '../../../stops/host-stop.ts';
import { evidenceOf } from '../../../stops/named-assets.ts';
import { readResult } from '../../../stops/stored-documents.ts';
import { decodeStop } from '../shadow.ts';
import type { AcceptedRow } from './route-counts.ts';

/** A stop of the mirror. */
export interface StopToCount {
  readonly stop_id: number;
  readonly doc: string;
  /** The last confirmed rows: they give an exception its number. */
  readonly shadow: string | null;
  readonly parked: boolean;
  /** The service has accepted a change. Otherwise the result is what another system wrote. */
  readonly recorded: boolean;
  /** Changed after the close of the route. */
  readonly late: boolean;
}

/** A file whose bytes have arrived. */
export interface FileToCount {
  readonly id: string;
  readonly parked: boolean;
  /** Received after the close of the route. */
  readonly late: boolean;
}

/** The files that the stops of a route name. */
export function filesOf(stops: readonly Pick<StopToCount, 'doc'>[]): string[] {
  return [...new Set(stops.flatMap(({ doc }) => [...evidenceOf(readResult(doc))]))];
}

/** Every row of a route that the host should have: what drivers and the office recorded, and the files that arrived. */
export function acceptedRows(
  key: RouteKey,
  zone: string,
  stops: readonly StopToCount[],
  files: readonly FileToCount[],
): AcceptedRow[] {
  return [
    ...stops.flatMap((stop) => rowsOfStop(key, zone, stop)),
    ...files.map(({ id, parked, late }) => ({ kind: 'P', key: id, stop: 0, parked, late }) as const),
  ];
}

function rowsOfStop(key: RouteKey, zone: string, { stop_id: stop, doc, shadow, ...state }: StopToCount): AcceptedRow[] {
  const result = readResult(doc);
  const confirmed = shadow === null ? undefined : decodeStop(shadow, key, stop);
  if (!confirmed && isUntouched(result)) return [];
  // A route that came closed from the host: its plan has a status, and the service owes no rows.
  if (!state.recorded && !confirmed?.rows.RTSTUP.length) return [];
  const rows = rendered(key, zone, stop, result, confirmed);
  const row = (kind: AcceptedRow['kind'], ...values: readonly string[]): AcceptedRow => ({
    kind,
    key: values.join('\t'),
    stop,
    parked: state.parked,
    late: state.late,
  });
  return [
    row('S', `${stop}`),
    ...(rows?.RTPRUP ?? []).map((line) => row('L', line.RQSTP, line.RQINV, line.RQITM, line.RQLIN, line.RQTYP)),
    ...(rows?.RTOSDP ?? [])
      .filter(({ OSDELF }) => OSDELF === 'N')
      .map((exception) => row('E', exception.OSSTP, exception.OSTYP, exception.OSSEQ)),
  ];
}

/** Undefined for a value that no row can hold: the stop is parked with the reason, and counts as a stop alone. */
function rendered(
  key: RouteKey,
  zone: string,
  stop: number,
  result: StopResult,
  confirmed: StopOnHost | undefined,
): StopRows | undefined {
  try {
    const moment = (instant: Date) => hostMoment(instant, zone);
    return hostRows({ key, stop, result, sequence: '0', moment }, confirmed);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}
