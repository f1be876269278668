import { Readable } from 'node:stream';
import type { OpsCaller } from '../../wire/access.ts';
import { opsEndpoint } from '../../http/answers/endpoint.ts';
import { RawAnswer } from '../../http/answers/raw-answer.ts';
import { AppError } from '../../wire/errors.ts';
import { feedOperations } from './contract.ts';
import type { OpsFeed } from './ops-feed.ts';

export interface FeedDeps {
  readonly opsFeed: Pick<OpsFeed, 'open' | 'isFull'>;
  /** Whether an operator's session still counts. To ask is no use of it. */
  readonly operatorSessions: { readonly isOpen: (session: Buffer) => Promise<boolean> };
}

const headers = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would collect the lines.
  'x-accel-buffering': 'no',
};

/** Operators: which subjects have changed, as a stream. */
export function feedEndpoints({ opsFeed, operatorSessions }: FeedDeps) {
  const allowedTo = (caller: OpsCaller) => async (): Promise<boolean> =>
    caller.kind === 'machine' || operatorSessions.isOpen(caller.session);
  return {
    followFeed: opsEndpoint(feedOperations.followFeed, async ({ caller, query, request }) => {
      if (request.method === 'HEAD') return new RawAnswer(200, headers, Readable.from([]));
      if (opsFeed.isFull)
        throw new AppError('RATE_LIMITED', { message: 'Too many pages follow this server; try again.' });
      return new RawAnswer(200, headers, await opsFeed.open(query.after, allowedTo(caller)));
    }),
  };
}
