import { createHash } from 'node:crypto';
import { laterColumns } from '../../host/files/layout.ts';
import { stopFiles, type StopRows } from '../../stops/host-stop.ts';
import { partColumns } from './service-part.ts';

type Row = { readonly [column: string]: string };

/** Crockford's alphabet: it has no letters that a green screen confuses. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TRACE_LENGTH = 12;

/**
 * Adds the trace id to RTSTUP.RUTRC. The id is a digest of all service-owned values of the stop: where it fits, the
 * service wrote the stop as a whole and no other program has changed it since. This separates a write with a lost
 * answer from a foreign edit, even after the writing process is gone.
 */
export function withTrace(rows: StopRows): StopRows {
  const trace = traceOf(rows);
  return { ...rows, RTSTUP: rows.RTSTUP.map((row) => ({ ...row, RUTRC: trace })) };
}

export function traceOf(rows: StopRows): string {
  const unsigned = { ...rows, RTSTUP: rows.RTSTUP.map((row) => ({ ...row, RUTRC: '' })) };
  return traceText(createHash('sha256').update(stopText(unsigned)).digest());
}

/** A digest in the form of the host's column. */
export function traceText(digest: Buffer): string {
  return Array.from(digest.subarray(0, TRACE_LENGTH), (byte) => ALPHABET[byte % 32]).join('');
}

/** All values of a stop in one text: equal texts are equal stops, in any order of the rows. */
export function stopText(rows: StopRows): string {
  const texts = stopFiles.map((name) => [name, ...rows[name].map((row) => rowText(partColumns(name), row)).sort()]);
  return texts.map((file) => file.join('\u001e')).join('\u001d');
}

/** A column of a later layout counts once it has a value: traces of earlier releases stay as they are. */
function rowText(columns: readonly string[], row: Row): string {
  const texts = columns.flatMap((column) => {
    const value = row[column] ?? '';
    if (!addedColumns.has(column)) return [value];
    return value === '0' ? [] : [`${column}=${value}`];
  });
  return texts.join('\u001f');
}

const addedColumns: ReadonlySet<string> = new Set(laterColumns.RTSTUP);
