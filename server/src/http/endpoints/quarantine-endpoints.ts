import { operations } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { decodePosition } from '../../ops/page-position.ts';
import {
  dismissQuarantined,
  listQuarantine,
  readQuarantined,
  releaseQuarantined,
} from '../../ops/quarantine/quarantine.ts';
import { readCursor } from '../answers/cursor.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';

export interface QuarantineDeps {
  readonly db: Db;
  readonly pipeline: Pick<Pipeline, 'release'>;
  readonly log: Log;
}

/** For operators: what was sent and could not be applied, and what is to become of it. */
export function quarantineEndpoints({ db, pipeline, log }: QuarantineDeps) {
  const releases = { db, release: pipeline.release.bind(pipeline), log };
  return {
    listQuarantine: endpoint(operations.listQuarantine, async ({ query }) => {
      const { items, nextCursor } = await listQuarantine(db, query, readCursor(query.cursor, decodePosition));
      return { data: items, meta: { next_cursor: nextCursor } };
    }),

    readQuarantined: endpoint(operations.readQuarantined, async ({ params }) => ({
      data: orUnknown(await readQuarantined(db, params.quarantine_id)),
    })),

    releaseQuarantined: endpoint(operations.releaseQuarantined, async ({ params, body }) => {
      const released = orUnknown(await releaseQuarantined(releases, params.quarantine_id, body));
      if (released.result === 'released') return { data: released.answer };
      const { code, reason, details } = released;
      throw new AppError(code, { message: reason, details });
    }),

    dismissQuarantined: endpoint(operations.dismissQuarantined, async ({ params, body }) => {
      const entry = orUnknown(await dismissQuarantined(db, params.quarantine_id, body));
      if (entry.state === 'released') throw new AppError('QUARANTINE_RELEASED');
      return { data: entry };
    }),
  };
}

function orUnknown<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new AppError('QUARANTINE_NOT_FOUND');
  return found;
}
