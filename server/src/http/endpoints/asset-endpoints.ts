import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { operations } from '@tailgate/sync-protocol';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyRequest } from 'fastify';
import mime from 'mime';
import type { Asset, Part } from '../../assets/queries.ts';
import { findAsset, findUploadFiles, readBytes } from '../../assets/queries.ts';
import type { UploadDeps } from '../../assets/upload.ts';
import { matchesEtag } from '../answers/conditional.ts';
import { dataUrlEnvelope } from '../answers/data-urls.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { RawAnswer } from '../answers/raw-answer.ts';
import { receiveUpload } from './uploads.ts';

/** Interface.md 4.2, contract §3. */
export function assetEndpoints(deps: UploadDeps) {
  const { db } = deps;
  return {
    uploadAssets: endpoint(operations.uploadAssets, async ({ request, idempotencyKey }) => {
      const ids = await receiveUpload(deps, request, idempotencyKey);
      return { data: { id: ids[0] ?? '', ids } };
    }),

    downloadAsset: endpoint(operations.downloadAsset, async ({ request, params }) => {
      const asset = await findAsset(db, params.asset_id);
      if (!asset) throw new AppError('ASSET_NOT_FOUND');
      return rawAnswer(request, asset, (part) => readBytes(db, asset, part));
    }),

    readAssetUrls: endpoint(operations.readAssetUrls, async ({ request, params }) => {
      const { length, text } = dataUrlEnvelope(operations.readAssetUrls.message, await uploadOf(params.asset_id));
      const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(length) };
      return new RawAnswer(
        200,
        headers,
        bodyOf(request, () => text((asset) => readBytes(db, asset))),
      );
    }),

    listAssetIds: endpoint(operations.listAssetIds, async ({ params }) => {
      const files = await uploadOf(params.asset_id);
      return { data: files.map(({ id }) => id) };
    }),
  };

  async function uploadOf(id: string): Promise<Asset[]> {
    const files = await findUploadFiles(db, id);
    if (files.length === 0) throw new AppError('ASSET_NOT_FOUND');
    return files;
  }
}

type ReadPart = (part?: Part) => AsyncIterable<Buffer>;

/** A file as it was sent, or a part of it. The bytes of an id never change, so caches may store them permanently. */
function rawAnswer(request: FastifyRequest, asset: Asset, read: ReadPart): RawAnswer {
  const { size } = asset;
  const etag = `"${asset.sha256.toString('hex')}"`;
  const lasting = { etag, 'cache-control': 'private, max-age=31536000, immutable', 'accept-ranges': 'bytes' };
  if (matchesEtag(request, etag)) return new RawAnswer(304, lasting);
  const part = request.method === 'GET' ? partOf(request.headers, size, etag) : undefined;
  if (part === 'none') return new RawAnswer(416, { etag, 'content-range': `bytes */${size}` });
  const headers = {
    ...lasting,
    'content-type': asset.mime,
    'content-length': String(part ? part.end - part.start : size),
    // A browser saves the file and never runs it in the origin of this server.
    'content-disposition': contentDisposition(downloadName(asset)),
    'x-content-type-options': 'nosniff',
    // An app on another origin may show a photo by its address. The id is the permission.
    'cross-origin-resource-policy': 'cross-origin',
  };
  const body = bodyOf(request, () => read(part));
  if (!part) return new RawAnswer(200, headers, body);
  const range = `bytes ${part.start}-${part.end - 1}/${size}`;
  return new RawAnswer(206, { ...headers, 'content-range': range }, body);
}

function downloadName({ id, name, mime: type }: Asset): string {
  if (name !== '') return name;
  const ending = mime.getExtension(type);
  return ending === null ? id : `${id}.${ending}`;
}

/** The body of an answer, read only as fast as it is sent. HEAD reads nothing and answers with the headers of GET. */
function bodyOf({ method }: FastifyRequest, open: () => AsyncIterable<Buffer | string>): Readable {
  return Readable.from(method === 'HEAD' ? [] : open(), { objectMode: false });
}

/**
 * The part of a file that a GET asks for (RFC 9110 §14): undefined for the whole file, `none` for a part beyond its end.
 * Several parts, other units and unreadable ranges mean the whole file, as §14.2 allows. So does any range of an empty
 * file, and one whose condition (If-Range, by strong ETag) fails. range-parser does not fit: it refuses a suffix longer
 * than the file, which means the whole file by §14.1.2.
 */
function partOf(headers: IncomingHttpHeaders, size: number, etag: string): Part | 'none' | undefined {
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
