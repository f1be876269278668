import { latestOf } from './diary.ts';
import type { Evidence, Row } from './evidence.ts';
import { FACILITY, routeOf, WEEK } from './fixture.ts';
import { instantOf, isNear } from './moments.ts';
import type { Edit } from './truth.ts';
import { timeText } from './truth.ts';

/** Rows of the host by stop: the result, its line, and the stop itself. */
export interface HostStop {
  readonly result: Row;
  readonly line: Row | undefined;
  readonly stop: Row | undefined;
}

export async function readHost({ host, seed }: Pick<Evidence, 'host' | 'seed'>): Promise<Map<number, HostStop>> {
  const read = (file: string, prefix: string): Promise<readonly Row[]> =>
    host.query(`select * from PODDTA.${file} where ${prefix}FAC = ? and ${prefix}RTE = ? and ${prefix}WKE = ?`, [
      FACILITY,
      routeOf(seed).id,
      WEEK,
    ]);
  const [results, lines, stops] = [await read('RTSTUP', 'RU'), await read('RTPRUP', 'RQ'), await read('RTSTPP', 'RS')];
  return new Map(
    results.map((result) => [
      Number(result['RUSTP']),
      {
        result,
        line: lines.find((row) => row['RQSTP'] === result['RUSTP']),
        stop: stops.find((row) => row['RSSTP'] === result['RUSTP']),
      },
    ]),
  );
}

/** The recorded values that a stop has on the host. */
export const valuesOnHost = ({ result, line }: HostStop): Row => ({
  status: result['RUSTS'],
  driver_comments: result['RUCMT'],
  store_emp_name: result['RUSNAM'],
  signature_id: result['RUSIG'],
  delivered: Number(line?.['RQDLV'] ?? 0),
});

/**
 * Every column of a stop's rows that follows from what people did (docs/host-files.md). The model says nothing about
 * RURPSQ and RUTRC, which the service numbers, and about the audit tail's users.
 *
 * @param edits of this stop, in the order in which they count
 */
export function wrongHostRows(stop: number, edits: readonly Edit[], host: HostStop | undefined): string[] {
  if (!host) return [`the host has no row of stop ${stop}`];
  const values = latestOf(edits.map((edit) => ({ values: edit.values ?? {} })));
  const status = values.status ?? 'P';
  const latest = (isIt: (edit: Edit) => boolean): Edit | undefined => edits.findLast(isIt);
  const deliverer = latest((edit) => edit.values?.status === 'D');
  const statusEdit = latest((edit) => edit.values?.status !== undefined);
  const driver = deliverer?.employee ?? (status === 'S' ? statusEdit?.employee : undefined);
  const expected: Row = {
    RUSTS: status,
    RUFLWC: '',
    RUFLWF: 'N',
    RUSDT: '0',
    RUSTM: '0',
    RULAT: '0.000000',
    RULON: '0.000000',
    RUDRV: driver ?? '',
    RUSEMP: '',
    RUSNAM: values.store_emp_name ?? '',
    RUCMT: values.driver_comments ?? '',
    RUCMTL: 'N',
    RUSKRC: '',
    RUSKCM: '',
    RUSIG: values.signature_id ?? '',
    RSSTS: status,
    RSARVF: 'N',
    ...(host.line && {
      RQINV: `INV${stop}`,
      RQITM: 'EGGS',
      RQLIN: '1',
      RQTYP: 'P',
      RQDLV: `${values.delivered ?? 0}`,
      RQRTN: '0',
      RQPAL: '0',
      RQACTD: '0',
      RQIMG: '',
      RQIMGN: '0',
    }),
  };
  const shown: Row = { ...host.stop, ...host.line, ...host.result };
  const wrong = Object.entries(expected).flatMap(([column, value]) =>
    shown[column] === value
      ? []
      : [`stop ${stop} has ${column} ${JSON.stringify(shown[column])} on the host, not ${JSON.stringify(value)}`],
  );
  if ((values.delivered !== undefined) !== (host.line !== undefined))
    wrong.push(`stop ${stop} has ${host.line ? 'a line' : 'no line'} on the host`);
  return [...wrong, ...wrongDates(stop, edits, status, host.result)];
}

/** Contract: the end of the delivery where the driver recorded it, else the moment of the status. */
function wrongDates(stop: number, edits: readonly Edit[], status: string, row: Row): string[] {
  const ended = edits.findLast(({ values }) => values?.end_delivery_time !== undefined);
  const statusEdit = edits.findLast(({ values }) => values?.status !== undefined);
  const lastEdit = edits.findLast(() => true);
  const statusAt = ended ? ended.endedAt : statusEdit?.at;
  const eventAt = ended ? ended.endedAt : (status === 'P' ? lastEdit : statusEdit)?.at;
  const wrong: string[] = [];
  const compare = (column: string, shown: number | undefined, isDated: boolean, at: number | undefined): void => {
    if (isDated !== (shown !== undefined)) wrong.push(`stop ${stop} has ${isDated ? 'no' : 'a'} ${column} on the host`);
    // Second precision: the host cuts.
    else if (shown !== undefined && at !== undefined && !isNear(shown, at))
      wrong.push(`stop ${stop} has ${column} ${timeText(shown)} on the host, and it happened at ${timeText(at)}`);
  };
  const moment = (name: string): number | undefined => instantOf(Number(row[`${name}DT`]), Number(row[`${name}TM`]));
  compare('RUEDT RUETM', moment('RUE'), ended !== undefined || status === 'D', statusAt);
  compare('RUSKDT RUSKTM', moment('RUSK'), status === 'S', statusAt);
  const event = Date.parse(String(row['RUUTC']));
  compare('RUUTC', Number.isNaN(event) ? undefined : event, true, eventAt);
  return wrong;
}
