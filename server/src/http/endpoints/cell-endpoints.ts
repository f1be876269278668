import { operations } from '@tailgate/sync-protocol';
import type { CellDirectory } from '../../modes/cell-directory.ts';
import { findCell } from '../../modes/cell-directory.ts';
import { AppError } from '../../wire/errors.ts';
import { endpoint } from '../answers/endpoint.ts';
import type { CreateLimit } from '../server/rate-limits.ts';

/**
 * The directory of cells. Each question counts, not only failures: there is none. A phone asks once, and all phones of a
 * depot may have one address.
 */
export function cellEndpoints({ cells, limit }: { cells: CellDirectory | undefined; limit: CreateLimit }) {
  const questions = limit({ name: 'questions for a cell', max: 600, windowMs: 60_000 });
  return {
    findCell: endpoint(operations.findCell, async ({ query, request }) => {
      const { isExceeded, waitMs } = await questions.count(request);
      if (isExceeded) throw new AppError('RATE_LIMITED', { retryAfterMs: waitMs });
      return { data: { url: findCell(cells, query.facility) } };
    }),
  };
}
