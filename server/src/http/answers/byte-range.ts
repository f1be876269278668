import type { IncomingHttpHeaders } from 'node:http';
import type { Part } from '../../assets/queries.ts';

/**
 * Which part of a file a GET asks for (RFC 9110 §14): undefined for all of it, `none` for one that it does not have.
 * Several parts at once, other units and what cannot be read mean all of it, which §14.2 allows; so does any range of an
 * empty file, and one whose condition (If-Range, by strong ETag) does not hold. (range-parser takes a suffix longer than
 * the file for none; §14.1.2 says that it is all of it.)
 */
export function partOf(headers: IncomingHttpHeaders, size: number, etag: string): Part | 'none' | undefined {
  const condition = headers['if-range'];
  if (size === 0 || (condition !== undefined && condition !== etag)) return undefined;
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(headers.range ?? '') ?? [];
  if (!first) return last ? suffix(Number(last), size) : undefined;
  const start = Number(first);
  if (last && Number(last) < start) return undefined;
  return start < size ? { start, end: last ? Math.min(Number(last) + 1, size) : size } : 'none';
}

const suffix = (length: number, size: number): Part | 'none' =>
  length === 0 ? 'none' : { start: Math.max(size - length, 0), end: size };
