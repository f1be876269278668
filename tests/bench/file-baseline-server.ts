/**
 * The simplest uploads, in three forms. `/disk` streams a file to a folder and answers after the write without a sync:
 * a power cut loses the file. `/tus` does the same by the tus library, and loses unfinished uploads at its end.
 * `/row` reads the whole file and inserts it as one bytea. It is frozen like the other baselines. It does less than
 * Tailgate: no digest, type, range, limit or retry.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import multipart from '@fastify/multipart';
import { DataStore, Server, type Upload } from '@tus/server';
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

/** Files in a folder. Only this process has their offsets. */
class FolderStore extends DataStore {
  readonly #begun = new Map<string, Upload>();

  override async create(upload: Upload): Promise<Upload> {
    this.#begun.set(upload.id, upload);
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const upload = this.#begun.get(id);
    if (!upload) throw new Error(`no upload ${id}`);
    return upload;
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    await pipeline(stream, createWriteStream(join(folder, id), { flags: 'a', start: offset }));
    const upload = await this.getUpload(id);
    upload.offset = upload.size ?? 0;
    return upload.offset;
  }
}

const tus = new Server({ path: '/tus', datastore: new FolderStore(), relativeLocation: true });
await http.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _body, done) => done(null));
  for (const url of ['/tus', '/tus/:id'])
    scope.route({
      method: ['POST', 'PATCH', 'HEAD'],
      url,
      handler: async (request, reply) => {
        reply.hijack();
        await tus.handle(request.raw, reply.raw);
        return reply;
      },
    });
});

process.once('SIGTERM', () => void http.close().then(() => pool.end()));
console.log(`ready ${await http.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })}`);
