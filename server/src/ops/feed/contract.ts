import { nothing, operation } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { ofOperators } from '../contract.ts';

// Operators' contract: which subjects have changed.

/** Subjects without a key: the page reads their list again. */
export const listSubjects = ['parked', 'quarantine', 'incident', 'hold', 'device', 'host', 'proof', 'flag'] as const;
export type ListSubject = (typeof listSubjects)[number];

const feedQuery = z.object({
  /** `cursor` of the last line that the caller has read. */
  after: z.optional(z.string().check(z.maxLength(60))),
});

/** A line of the stream, without its cursor. */
export type FeedLine =
  | { readonly type: 'hello'; readonly beat_seconds: number }
  | {
      readonly type: 'changed';
      readonly subject: 'route';
      readonly facility: string;
      readonly route_id: string;
      readonly week_end: string;
    }
  | { readonly type: 'changed'; readonly subject: ListSubject }
  | { readonly type: 'reload' }
  | { readonly type: 'beat' }
  | { readonly type: 'end'; readonly reason: 'session' | 'stopping' };

export const feedOperations = {
  followFeed: operation({
    ...ofOperators,
    role: 'look',
    method: 'GET',
    path: '/ops/feed',
    summary:
      'A stream of lines (NDJSON), one for each subject that changed: a route with its stops, parked rows, quarantine, incidents, holds, devices, the host, sent proofs, warnings. A line has no content: read the subject.',
    message: 'Lines',
    body: nothing,
    query: feedQuery,
    data: nothing,
    answers: 'lines',
    errors: ['RATE_LIMITED'],
  }),
} as const;

export const feedSchemas = [
  described('FeedQuery', feedQuery, 'Where to go on.', {
    after:
      'The `cursor` of the last line. The stream goes on behind it, or says `reload` where this server does not have it any more.',
  }),
];
