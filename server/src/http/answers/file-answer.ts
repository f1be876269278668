import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyRequest } from 'fastify';
import mime from 'mime';
import type { Part } from '../../assets/file-bytes.ts';
import type { Asset } from '../../assets/queries.ts';
import { matchesEtag } from './conditional.ts';
import { RawAnswer } from './raw-answer.ts';

export interface FileAnswer {
  readonly read: (part?: Part) => AsyncIterable<Buffer>;
  readonly cacheControl: string;
  /** How a browser treats the file. */
  readonly headers: (asset: Asset) => Readonly<Record<string, string>>;
}

/** The bytes of an id never change, and the id is the permission. */
export const forever = 'private, max-age=31536000, immutable';
/** The credentials are the permission, so each use of a stored copy asks the server. */
export const askEachTime = 'private, no-cache';

/** A browser saves the file and never runs it in the origin of this server. */
export const asDownload = (asset: Asset): Readonly<Record<string, string>> => ({
  'content-disposition': contentDisposition(downloadName(asset)),
  // An app on another origin may show a photo by its address. The id is the permission.
  'cross-origin-resource-policy': 'cross-origin',
});

/** Types of pictures that a browser decodes and never runs. SVG is not one of them. */
const pictures = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

/** A picture shows in its page; any other file is a download. Neither runs anything, opened by itself included. */
export const asEvidence = (asset: Asset): Readonly<Record<string, string>> => ({
  'content-disposition': contentDisposition(downloadName(asset), {
    type: pictures.has(asset.mime) ? 'inline' : 'attachment',
  }),
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
});

/** A file as it was sent, or a part of it. */
export function assetAnswer(
  request: FastifyRequest,
  asset: Asset,
  { read, cacheControl, headers: more }: FileAnswer,
): RawAnswer {
  const { size } = asset;
  const etag = `"${asset.sha256.toString('hex')}"`;
  const lasting = { etag, 'cache-control': cacheControl, 'accept-ranges': 'bytes' };
  if (matchesEtag(request, etag)) return new RawAnswer(304, lasting);
  const part = request.method === 'GET' ? partOf(request.headers, size, etag) : undefined;
  if (part === 'none') return new RawAnswer(416, { etag, 'content-range': `bytes */${size}` });
  const headers = {
    ...lasting,
    'content-type': asset.mime,
    'content-length': String(part ? part.end - part.start : size),
    'x-content-type-options': 'nosniff',
    ...more(asset),
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
export function bodyOf({ method }: FastifyRequest, open: () => AsyncIterable<Uint8Array | string>): Readable {
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
