import { createHash } from 'node:crypto';
import { stopFiles, type StopRows } from '../../stops/host-stop.ts';
import { partColumns } from './service-part.ts';

type Row = { readonly [column: string]: string };

/** Crockford's alphabet: no letter that a programmer at a green screen could misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TRACE_LENGTH = 12;

/**
 * Rows with their trace id in RUTRC. The id is a digest of all service-owned values of the stop, so that a stop on the
 * host proves by itself that the service wrote it as a whole and nobody has changed it since: that is how a write whose
 * answer was lost is told from somebody else's edit, even after the process that wrote it is gone.
 */
export function sealed(rows: StopRows): StopRows {
  const trace = traceOf(rows);
  return { ...rows, RTSTUP: rows.RTSTUP.map((row) => ({ ...row, RUTRC: trace })) };
}

export function traceOf(rows: StopRows): string {
  const unsigned = { ...rows, RTSTUP: rows.RTSTUP.map((row) => ({ ...row, RUTRC: '' })) };
  return traceText(createHash('sha256').update(stopText(unsigned)).digest());
}

/** A digest as a column of the host holds it. */
export function traceText(digest: Buffer): string {
  return Array.from(digest.subarray(0, TRACE_LENGTH), (byte) => ALPHABET[byte % 32]).join('');
}

/** All values of a stop in one text: equal texts are equal stops, in whatever order the rows came. */
export function stopText(rows: StopRows): string {
  const texts = stopFiles.map((name) => [name, ...rows[name].map((row) => rowText(partColumns(name), row)).sort()]);
  return texts.map((file) => file.join('\u001e')).join('\u001d');
}

function rowText(columns: readonly string[], row: Row): string {
  return columns.map((column) => row[column]).join('\u001f');
}
