import { latestOf, type StopValues } from './diary.ts';
import { exceptionsOnHost } from './exceptions.ts';
import type { Edit, Evidence, Row } from './evidence.ts';
import { diaryStop, FACILITY, routesOf, WEEK } from './fixture.ts';
import { isNear, momentIn, timeText } from './moments.ts';

/** Rows of the host by stop: the result, its lines and exceptions, and the stop itself. */
export interface HostStop {
  readonly result: Row;
  readonly eggs: Row | undefined;
  readonly milk: Row | undefined;
  readonly stop: Row | undefined;
  /** Rows of exceptions, flagged ones included. */
  readonly exceptions: readonly Row[];
}

export async function readHost({ host, seed }: Pick<Evidence, 'host' | 'seed'>): Promise<Map<number, HostStop>> {
  const [first, second = first] = routesOf(seed).map(({ id }) => id);
  const read = async (file: string, prefix: string): Promise<readonly Row[]> => {
    const text = `select * from PODDTA.${file} where ${prefix}FAC = ? and ${prefix}RTE in (?, ?) and ${prefix}WKE = ?`;
    const rows = await host.query(text, [FACILITY, first ?? '', second ?? '', WEEK]);
    return rows.map((row) => ({ ...row, at: diaryStop(seed, row[`${prefix}RTE`], Number(row[`${prefix}STP`])) }));
  };
  const [results, lines, stops] = [await read('RTSTUP', 'RU'), await read('RTPRUP', 'RQ'), await read('RTSTPP', 'RS')];
  const exceptions = await read('RTOSDP', 'OS');
  return new Map(
    results.map((result): [number, HostStop] => {
      const isHere = ({ at }: Row): boolean => at === result['at'];
      const lineOf = (item: string): Row | undefined => lines.filter(isHere).find(({ RQITM }) => RQITM === item);
      return [
        Number(result['at']),
        {
          result,
          eggs: lineOf('EGGS'),
          milk: lineOf('MILK'),
          stop: stops.find(isHere),
          exceptions: exceptions.filter(isHere),
        },
      ];
    }),
  );
}

/** The recorded values that a stop has on the host. */
export const valuesOnHost = ({ result, eggs, milk, stop, exceptions }: HostStop): Row => ({
  status: result['RUSTS'],
  driver_comments: result['RUCMT'],
  store_emp_name: result['RUSNAM'],
  signature_id: result['RUSIG'],
  delivered: Number(eggs?.['RQDLV'] ?? 0),
  returned: Number(milk?.['RQRTN'] ?? 0),
  arrived: stop?.['RSARVF'] === 'Y',
  exceptions: exceptionsOnHost(exceptions),
  skip_refuse_reason_code: result['RUSKRC'],
  skip_refuse_driver_comment: result['RUSKCM'],
});

/**
 * Every column of a stop's rows that follows from what people did (docs/host-files.md). The model says nothing about
 * RURPSQ and RUTRC, which the service numbers, and about the audit tail's users.
 *
 * @param edits of this stop, in the order in which they count
 */
export function wrongHostRows(
  stop: number,
  edits: readonly Edit[],
  host: HostStop | undefined,
  { restores }: Pick<Evidence, 'restores'>,
): string[] {
  if (!host) return [`the host has no row of stop ${stop}`];
  const values = latestOf(edits.map((edit) => ({ values: edit.values ?? {} })));
  const status = values.status ?? 'P';
  const latest = (isIt: (edit: Edit) => boolean): Edit | undefined => edits.findLast(isIt);
  const deliverer = latest((edit) => edit.values?.status === 'D');
  const statusEdit = latest((edit) => edit.values?.status !== undefined);
  const isSkipped = status === 'S' || status === 'R';
  const recorder = deliverer ?? (isSkipped ? statusEdit : undefined);
  // Clerks record no status: such an edit is a restored server's, by no driver, and contains a driver's number.
  const isFound = statusEdit?.source === 'office' || recorder?.source === 'office';
  const driver = isFound ? restores.driverOnHost(stop, host.result['RUDRV']) : recorder?.employee;
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
    RUSKRC: values.skip_refuse_reason_code ?? '',
    RUSKCM: values.skip_refuse_driver_comment ?? '',
    RUSIG: values.signature_id ?? '',
    RSSTS: status,
    RSARVF: values.arrived ? 'Y' : 'N',
  };
  const eggs = values.delivered !== undefined || values.exceptions !== undefined;
  return [
    ...wrongColumns(`stop ${stop}`, expected, { ...host.stop, ...host.result }),
    ...wrongLine(stop, 'EGGS', host.eggs, eggs ? { RQDLV: `${values.delivered ?? 0}`, RQRTN: '0' } : undefined),
    ...wrongLine(stop, 'MILK', host.milk, values.returned && { RQDLV: '0', RQRTN: `${values.returned}` }),
    ...wrongExceptions(stop, values.exceptions ?? '', host.exceptions),
    ...wrongDates(stop, edits, status, { row: host.result, restores }),
  ];
}

const wrongColumns = (name: string, expected: Row, shown: Row): string[] =>
  Object.entries(expected).flatMap(([column, value]) =>
    shown[column] === value
      ? []
      : [`${name} has ${column} ${JSON.stringify(shown[column])} on the host, not ${JSON.stringify(value)}`],
  );

/** A line has a row as soon as somebody recorded a value of it. */
function wrongLine(stop: number, item: string, row: Row | undefined, counts: Row | undefined | 0): string[] {
  const name = `the line ${item} of stop ${stop}`;
  if (!row || !counts)
    return Boolean(row) === Boolean(counts) ? [] : [`the host has ${row ? 'a' : 'no'} row of ${name}`];
  const place = { RQINV: `INV${stop}`, RQLIN: '1', RQTYP: 'P' };
  const rest = { RQPAL: '0', RQACCF: 'N', RQACTD: '0', RQIMG: '', RQIMGN: '0', RQOPNF: '' };
  return wrongColumns(name, { ...place, ...rest, ...counts }, row);
}

/** The rows that are not flagged are the exceptions in their order; each row names its line. */
function wrongExceptions(stop: number, expected: string, rows: readonly Row[]): string[] {
  const shown = exceptionsOnHost(rows);
  const wrong = shown === expected ? [] : [`stop ${stop} has the exceptions ${shown} on the host, not ${expected}`];
  const line = { OSTYP: 'P', OSITM: 'EGGS', OSINV: `INV${stop}`, OSITMF: 'N', OSQTYP: 'U', OSPAR: '', OSCMT: '' };
  const rest = { OSTXTL: 'N', OSIMG: '', OSREV: '0' };
  return [
    ...wrong,
    ...rows.flatMap((row) => wrongColumns(`RTOSDP ${stop} ${String(row['OSSEQ'])}`, { ...line, ...rest }, row)),
  ];
}

/**
 * Contract: the end of the delivery where the driver recorded it, else the skip or refusal where that has a time, else
 * the moment of the status. A skip dates no delivery, and the end of an earlier delivery no skip. The arrival has the
 * moment of its latest record.
 */
function wrongDates(
  stop: number,
  edits: readonly Edit[],
  status: string,
  { row, restores }: Pick<Evidence, 'restores'> & { readonly row: Row },
): string[] {
  const latest = (field: keyof StopValues): Edit | undefined =>
    edits.findLast(({ values }) => values?.[field] !== undefined);
  const [ended, skipped, statusEdit] = [latest('end_delivery_time'), latest('skip_refuse_timestamp'), latest('status')];
  const isSkipped = status === 'S' || status === 'R';
  const isOwnEnd =
    ended !== undefined && (!isSkipped || !statusEdit || edits.indexOf(ended) >= edits.indexOf(statusEdit));
  const happened = (status === 'P' ? edits.at(-1) : statusEdit)?.at;
  const eventAt = isOwnEnd ? ended.endedAt : status !== 'D' && skipped ? skipped.skippedAt : happened;
  const wrong: string[] = [];
  const compare = (column: string, shown: number | undefined, isDated: boolean, at: number | undefined): void => {
    if (isDated !== (shown !== undefined)) wrong.push(`stop ${stop} has ${isDated ? 'no' : 'a'} ${column} on the host`);
    // Second precision: the host cuts.
    else if (shown !== undefined && at !== undefined && !isNear(shown, at))
      wrong.push(`stop ${stop} has ${column} ${timeText(shown)} on the host, and it happened at ${timeText(at)}`);
  };
  const moment = (name: string): number | undefined => momentIn(row, name);
  compare(
    'RUEDT RUETM',
    moment('RUE'),
    ended !== undefined || status === 'D' || status === 'C',
    ended ? ended.endedAt : eventAt,
  );
  compare('RUSKDT RUSKTM', moment('RUSK'), skipped !== undefined || isSkipped, skipped ? skipped.skippedAt : eventAt);
  const [arrived, arrivedAt] = [latest('arrived'), moment('RUAR')];
  const isKept = arrived?.source === 'office' && restores.hadArrival(stop, arrivedAt);
  compare('RUARDT RUARTM', arrivedAt, arrived !== undefined, isKept ? arrivedAt : arrived?.at);
  const event = Date.parse(String(row['RUUTC']));
  compare('RUUTC', Number.isNaN(event) ? undefined : event, true, eventAt);
  return wrong;
}
