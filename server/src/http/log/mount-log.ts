import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Queryable } from '../../db/types.ts';
import { AppError } from '../../wire/errors.ts';
import { parseTilePath } from '../../tlog/format/tiles.ts';
import { facilityOf, type LogId } from '../../tlog/log.ts';
import { listKeys, readGrowth, readNewest, readTile } from '../../tlog/read-log.ts';

interface Address {
  readonly name: string;
  readonly generation?: string;
  readonly '*'?: string;
}

/** A year; a tile never changes. */
const forGood = 'public, max-age=31536000, immutable';

/**
 * The logs for auditors: checkpoints and tiles (c2sp.org/tlog-tiles), and the public keys. They are open under any ACCESS,
 * because they contain hashes only. A log never serves its entries here.
 */
export function mountLog(app: FastifyInstance, { db }: { readonly db: Queryable }): void {
  app.get('/log/keys.json', async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send({ keys: await listKeys(db) }),
  );
  for (const prefix of ['/log/:name', '/log/:name/:generation']) {
    app.get<{ Params: Address; Querystring: { readonly old?: unknown } }>(
      `${prefix}/checkpoint`,
      async ({ params, query: { old } }, reply) =>
        sendText(
          await (old === undefined ? readNewest(db, logOf(params)) : readGrowth(db, logOf(params), sizeOf(old))),
          reply,
        ),
    );
    app.get<{ Params: Address }>(`${prefix}/tile/*`, async ({ params }, reply) => {
      const tile = parseTilePath(params['*'] ?? '');
      const bytes = tile && (await readTile(db, logOf(params), tile.place, tile.width));
      if (!bytes) throw new AppError('NOT_FOUND');
      return reply.type('application/octet-stream').header('cache-control', forGood).send(bytes);
    });
  }
}

function sendText(text: string | undefined, reply: FastifyReply): FastifyReply {
  if (text === undefined) throw new AppError('NOT_FOUND');
  return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache').send(text);
}

/** @throws AppError VALIDATION_FAILED that names the field */
function sizeOf(old: unknown): number {
  if (typeof old === 'string' && /^[1-9]\d{0,14}$/.test(old)) return Number(old);
  const detail = { path: 'old', message: 'must be the size of an earlier checkpoint' };
  throw new AppError('VALIDATION_FAILED', { message: `old ${detail.message}`, details: [detail] });
}

/** The first generation has no number in its address. */
function logOf({ name, generation = '1' }: Address): LogId {
  const isNumber = /^[1-9]\d{0,8}$/.test(generation);
  if (!isNumber) throw new AppError('NOT_FOUND');
  return { facility: facilityOf(name), generation: Number(generation) };
}
