import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { undocumented } from './documented.ts';
import { atFileEnd } from './file-end.ts';

/** Compares every answer of a server with docs/openapi.json, for every client; the file fails where one does not fit. */
export function watchAnswers(app: FastifyInstance): void {
  const faults = new Set<string>();
  app.addHook('onSend', async ({ method, url }, reply, payload: unknown) => {
    const header = (name: string) => reply.getHeader(name)?.toString() ?? null;
    const body = jsonOf(payload, header('content-type'), header('content-encoding'));
    for (const fault of undocumented({ method, url, status: reply.statusCode, headers: { get: header }, body }))
      faults.add(fault);
    return payload;
  });
  atFileEnd(async () => {
    if (faults.size > 0) throw new Error(`undocumented answers:\n${[...faults].slice(0, 20).join('\n')}`);
  });
}

/** Undefined where there is no body, or where it is a stream. */
function jsonOf(payload: unknown, type: string | null, encoding: string | null): unknown {
  if (!type?.startsWith('application/json')) return undefined;
  if (typeof payload === 'string') return JSON.parse(payload);
  if (!Buffer.isBuffer(payload)) return undefined;
  return JSON.parse((encoding === null ? payload : unpack(payload, encoding)).toString());
}

function unpack(payload: Buffer, encoding: string): Buffer {
  if (encoding === 'br') return brotliDecompressSync(payload);
  if (encoding === 'zstd') return zstdDecompressSync(payload);
  return gunzipSync(payload);
}
