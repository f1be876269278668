import type { RouteKey, StopResult } from '@tailgate/sync-protocol';
import { hostMoment } from '../../../host/files/local-time.ts';
import { hostRows, isUntouched } from '../../../stops/host-rows.ts';
import type { StopRows } from '../../../stops/host-stop.ts';
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
  if (shadow === null && isUntouched(result)) return [];
  const rows = rendered(key, zone, stop, result, shadow);
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
  shadow: string | null,
): StopRows | undefined {
  try {
    const moment = (instant: Date) => hostMoment(instant, zone);
    return hostRows(
      { key, stop, result, sequence: '0', moment },
      shadow === null ? undefined : decodeStop(shadow, key, stop),
    );
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}
