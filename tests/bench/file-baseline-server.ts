/**
 * What one writes first for uploads, in two fashions: `/disk` streams a file to a folder and answers when it is written,
 * not when it is safe (a power cut loses it); `/row` reads it whole and inserts it as one bytea. Frozen, as the other
 * baselines are. It does less than we do: no digest, no type, no range, no limit, no retry.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { fastify } from 'fastify';
import pg from 'pg';

const { DATABASE_URL: connectionString, FILES: folder = '.' } = process.env;
const pool = new pg.Pool({ connectionString, max: 8 });
const http = fastify();
await http.register(multipart, { limits: { fileSize: 26_214_400 } });

http.route({ method: 'POST', url: '/disk', handler: saveToDisk });
http.route({ method: 'POST', url: '/row', handler: saveAsRow });

async function saveToDisk(request: FastifyRequest) {
  const part = await request.file();
  if (!part) throw new Error('no file');
  const id = randomUUID();
  await pipeline(part.file, createWriteStream(join(folder, id)));
  return { success: true, data: { id } };
}

async function saveAsRow(request: FastifyRequest) {
  const part = await request.file();
  if (!part) throw new Error('no file');
  const id = randomUUID();
  await pool.query({
    name: 'insert',
    text: 'insert into b_file (id, data) values ($1, $2)',
    values: [id, await part.toBuffer()],
  });
  return { success: true, data: { id } };
}

http.get<{ Params: { id: string } }>('/disk/:id', async ({ params }, reply) =>
  reply.type('application/octet-stream').send(createReadStream(join(folder, params.id))),
);

http.get<{ Params: { id: string } }>('/row/:id', async ({ params }, reply) => {
  const { rows } = await pool.query<{ data: Buffer }>({
    name: 'select',
    text: 'select data from b_file where id = $1',
    values: [params.id],
  });
  return reply.type('application/octet-stream').send(rows[0]?.data);
});

process.once('SIGTERM', () => void http.close().then(() => pool.end()));
console.log(`ready ${await http.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })}`);
