import { whereWord } from './where-words.ts';

/** The server's codes for a change that it could not apply (docs/protocol.md, Codes). */
const codes = [
  'VALIDATION_FAILED',
  'UNKNOWN_MUTATION',
  'ROUTE_NOT_FOUND',
  'STOP_NOT_FOUND',
  'NOT_ASSIGNED',
  'CLIENT_REVOKED',
  'ID_REUSED',
  'INTERNAL',
] as const;

/** Why the server could not apply a change, for the driver. A newer server may have codes that this app does not know. */
export function reviewSentence(code: string): string {
  const why = whereWord(`review.${codes.find((known) => known === code) ?? 'other'}`);
  return `${why} ${whereWord('where.lookKept')}`;
}
