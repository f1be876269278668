import type { StopFile, StopRows } from '../../stops/host-stop.ts';
import { equalExcept } from '../../stops/confirmed-rows.ts';
import type { ServicePart } from '../../host/files/tables.ts';
import { epochOf, hostSequence } from './sequence.ts';
import { stopText, traceOf } from './trace.ts';

/**
 * The state of the host's rows after a write matched nothing or got no answer (I10, I11).
 * `written`: the rows equal the wanted ones.
 * `ours`: they equal the confirmed ones, or an earlier write of ours whose answer was lost. Confirm them and write again.
 * `newer`: a later write of ours.
 * `foreign`: another program has changed them, or an earlier epoch of this server that the mirror lost. Import first.
 */
export type Verdict = 'written' | 'ours' | 'newer' | 'foreign';

export function decideStopWrite(found: StopRows, wanted: StopRows, confirmed: StopRows | undefined): Verdict {
  const text = stopText(found);
  if (text === stopText(wanted)) return 'written';
  const [result] = found.RTSTUP;
  // A trace that fits its values proves that the service wrote the whole stop and no other program has changed it
  // since.
  if (result && result.RUTRC === traceOf(found)) {
    const sequence = sequenceOf(wanted);
    if (Number(result.RURPSQ) > sequence) return 'newer';
    return isLostByRestore(found, confirmed, epochOf(sequence)) && !sameValues(found, wanted) ? 'foreign' : 'ours';
  }
  if (isAsConfirmed(found, confirmed)) return 'ours';
  return 'foreign';
}

/** Whether no other program has changed these rows since they were confirmed, or dispatched. */
export function isAsConfirmed(found: StopRows, confirmed: StopRows | undefined): boolean {
  return confirmed ? stopText(found) === stopText(confirmed) : isAsDispatched(found);
}

/**
 * Whether the service wrote these rows between the restored copy and the restore. Only the host has their content, so
 * they count like a foreign edit (I9, I11).
 */
export function isLostByRestore(found: StopRows, confirmed: StopRows | undefined, epoch: number): boolean {
  const sequence = sequenceOf(found);
  return epochOf(sequence) < epoch && sequence > sequenceOf(confirmed);
}

/**
 * Whether another database of the service wrote these rows: their sequence is above all that this one has given.
 *
 * @param newest the version of the route, read after the rows
 */
export function isWrittenElsewhere(found: StopRows, epoch: number, newest: number): boolean {
  return sequenceOf(found) > hostSequence(epoch, newest);
}

/** The sequence of a stop's rows on the host; 0 where the service wrote none. */
export const sequenceOf = (rows: StopRows | undefined): number => Number(rows?.RTSTUP[0]?.RURPSQ ?? 0);

/** Compares the values that people read, without sequences and traces. */
export function sameValues(one: StopRows, other: StopRows): boolean {
  return traceOf(timeless(one)) === traceOf(timeless(other));
}

function timeless(rows: StopRows): StopRows {
  return {
    ...rows,
    RTPRUP: rows.RTPRUP.map((row) => ({ ...row, RQRPSQ: '0' })),
    RTOSDP: rows.RTOSDP.map((row) => ({ ...row, OSRPSQ: '0' })),
    RTSTUP: rows.RTSTUP.map((row) => ({ ...row, RURPSQ: '0' })),
  };
}

export function decideHeaderWrite(found: Header, wanted: Header, confirmed: Header): Verdict {
  if (equalExcept(found, wanted)) return 'written';
  // The route's row has no trace: each column of ours has its old or its new value. Only the service writes the counts.
  const columns: (keyof Header)[] = ['RHPODS', 'RHRETM', 'RHCLDT', 'RHCLTM', 'RHCLBY'];
  const ours = columns.every((column) => found[column] === confirmed[column] || found[column] === wanted[column]);
  return ours ? 'ours' : 'foreign';
}

type Header = ServicePart<'RTHDRP'>;

/** Whether a row is one of RTSTPP as a dispatch program inserts or marks it. */
export function isAsPlanned(
  file: StopFile,
  { RSSTS = '', RSARVF = '' }: { readonly [column: string]: string },
): boolean {
  return file === 'RTSTPP' && ['', 'P'].includes(RSSTS) && ['', 'N'].includes(RSARVF);
}

/** Whether the stop has only a row as a dispatch program inserts or marks it, and no result of ours. */
export function isAsDispatched({ RTSTPP, ...others }: StopRows): boolean {
  return RTSTPP.every((row) => isAsPlanned('RTSTPP', row)) && Object.values(others).every((rows) => rows.length === 0);
}
