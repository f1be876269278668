import type { StopFile, StopRows } from '../../stops/host-stop.ts';
import { equalBut } from '../../stops/confirmed-rows.ts';
import type { ServicePart } from '../../host/files/tables.ts';
import { epochOf } from './sequence.ts';
import { stopText, traceOf } from './trace.ts';

/**
 * What the host's rows say after a write of ours matched nothing, or got no answer (I10, I11):
 * `written` they are what we wanted · `ours` they are as we knew them, or as an earlier write of ours left them whose
 * answer was lost: take them as confirmed and write again · `newer` a later state of ours stands · `foreign` somebody
 * else has changed something, or an earlier life of ours that we have no memory of: it must be taken in first.
 */
export type Verdict = 'written' | 'ours' | 'newer' | 'foreign';

export function judgeStop(found: StopRows, wanted: StopRows, held: StopRows | undefined): Verdict {
  const text = stopText(found);
  if (text === stopText(wanted)) return 'written';
  const [result] = found.RTSTUP;
  // A stop whose trace fits its values was written by us as a whole, and nobody has touched it since.
  if (result && result.RUTRC === traceOf(found)) {
    const sequence = sequenceOf(wanted);
    if (Number(result.RURPSQ) > sequence) return 'newer';
    return isForgotten(found, held, epochOf(sequence)) && !sameValues(found, wanted) ? 'foreign' : 'ours';
  }
  if (held ? text === stopText(held) : isAsDispatched(found)) return 'ours';
  return 'foreign';
}

/**
 * Whether these rows of ours come from before a restore of the server and after the copy that was restored: nobody but
 * the host may know what they say, so they are no less than somebody's edit (I9, I11).
 */
export function isForgotten(found: StopRows, held: StopRows | undefined, epoch: number): boolean {
  const sequence = sequenceOf(found);
  return epochOf(sequence) < epoch && sequence > sequenceOf(held);
}

const sequenceOf = (rows: StopRows | undefined): number => Number(rows?.RTSTUP[0]?.RURPSQ ?? 0);

/** Without sequences and traces: what people read. */
function sameValues(one: StopRows, other: StopRows): boolean {
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

export function judgeHeader(found: Header, wanted: Header, held: Header): Verdict {
  if (equalBut(found, wanted)) return 'written';
  // The route's row has no trace. What it can hold of ours is the old or the new value of each column; counts are ours alone.
  const columns: (keyof Header)[] = ['RHPODS', 'RHRETM', 'RHCLDT', 'RHCLTM', 'RHCLBY'];
  const ours = columns.every((column) => found[column] === held[column] || found[column] === wanted[column]);
  return ours ? 'ours' : 'foreign';
}

type Header = ServicePart<'RTHDRP'>;

/** Whether a row is one of RTSTPP as a dispatch program inserts it, or marks it. */
export function isAsPlanned(
  file: StopFile,
  { RSSTS = '', RSARVF = '' }: { readonly [column: string]: string },
): boolean {
  return file === 'RTSTPP' && ['', 'P'].includes(RSSTS) && ['', 'N'].includes(RSARVF);
}

/** Nothing of ours but a stop row as a dispatch program inserts it, or marks it. */
function isAsDispatched({ RTSTPP, ...others }: StopRows): boolean {
  return RTSTPP.every((row) => isAsPlanned('RTSTPP', row)) && Object.values(others).every((rows) => rows.length === 0);
}
