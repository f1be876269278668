import { uploadTypes } from '@tailgate/sync-protocol';
import type { FastifyRequest } from 'fastify';
import { mediaType } from '../../assets/media-type.ts';
import { charge } from '../../assets/quota.ts';
import { UploadRefusal } from '../../assets/refusal.ts';
import type { Upload, UploadDeps } from '../../assets/upload.ts';
import { openUpload, tooLarge } from '../../assets/upload.ts';
import { callerOf } from '../server/caller.ts';
import { AppError } from '../../wire/errors.ts';
import type { FormField, FormFile } from '../answers/form.ts';
import { formParts, longestField } from '../answers/form.ts';
import { inputReader, invalidInput } from '../answers/validation.ts';

/** Some clients number the field (`files[]`, `files[0]`). */
const filesField = /^files(\[\d*\])?$/;
const typesField = 'mimetypes';
/** For boundaries and part headers, beside the bytes of the files. */
export const formOverhead = 1024 * 1024;
/** An empty file costs rows, too. */
const minCounted = 16 * 1024;

/**
 * Stores an upload and returns the ids of its files in their order (contract §3). A refused upload leaves nothing
 * behind.
 */
export async function receiveUpload(
  deps: UploadDeps,
  request: FastifyRequest,
  key: string | undefined,
): Promise<string[]> {
  if (!request.isMultipart()) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  try {
    return await receive(deps, request, key);
  } catch (error) {
    throw error instanceof UploadRefusal ? refused(error) : error;
  }
}

const refused = (cause: UploadRefusal): AppError => new AppError(cause.code, { message: cause.message, cause });

async function receive(deps: UploadDeps, request: FastifyRequest, key: string | undefined): Promise<string[]> {
  const { db, limits, clock } = deps;
  const caller = callerOf(request);
  const account = { caller, max: limits.hourBytes, now: clock() };
  const announced = announcedBytes(request);
  let received = 0;
  const take = (bytes: number): void => {
    received += bytes;
    if (received > limits.requestBytes + formOverhead) throw refused(tooLarge('A request', limits.requestBytes));
  };
  if (announced !== undefined && announced > limits.requestBytes + formOverhead)
    throw tooLarge('A request', limits.requestBytes);
  await charge(db, { ...account, bytes: Math.max(announced ?? 0, minCounted) });
  const upload = await openUpload(deps, { caller, key });
  try {
    const types = await readForm(upload, formParts(request, take));
    if (upload.count === 0) throw invalid('files', 'at least one file is required');
    return await upload.finish(types);
  } catch (error) {
    // The sweep deletes what this call cannot. The caller gets the cause of the failed upload, not of the failed
    // cleanup.
    await upload.abandon().catch((err: unknown) => request.log.warn({ err }, 'an upload is left to the sweep'));
    throw error;
  } finally {
    // A request without a declared length is charged afterwards. The limit then applies to the next request.
    if (announced === undefined)
      await charge(db, { ...account, bytes: received, max: Number.MAX_SAFE_INTEGER }).catch((err: unknown) =>
        request.log.warn({ err }, 'an upload was not counted'),
      );
  }
}

/** A request with `Transfer-Encoding: chunked` declares no length. */
function announcedBytes({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Stores all files of the form and returns the MIME types that the form names. Both may come in any order. */
async function readForm(upload: Upload, parts: ReturnType<typeof formParts>): Promise<ReadonlyMap<string, string>> {
  const types = new Map<string, string>();
  for await (const part of parts) {
    if (part.field === typesField) {
      for (const [name, type] of readTypes(await textOf(part))) types.set(name, type);
    } else if (part.kind === 'file') await receiveFile(upload, part);
  }
  return types;
}

async function receiveFile(upload: Upload, { field, name, bytes }: FormFile): Promise<void> {
  if (!filesField.test(field)) {
    for await (const _ of bytes); // unknown fields are ignored, as everywhere
    return;
  }
  if (name.includes('\0') || !name.isWellFormed())
    throw invalid(`files.${upload.count}`, 'a file name must be well-formed text without NUL');
  const pieces = bytes[Symbol.asyncIterator]();
  const first = await pieces.next();
  // A browser sends an empty file input as a file without a name and without bytes.
  if (first.done === true && name === '') return;
  await upload.addFile(name, following(first, pieces));
}

async function* following<Item>(first: IteratorResult<Item>, rest: AsyncIterator<Item>): AsyncGenerator<Item, void> {
  try {
    for (let item = first; item.done !== true; item = await rest.next()) yield item.value;
  } finally {
    await rest.return?.();
  }
}

/** JSON may come as a field, or as a part with a type, which the parser takes for a file. */
async function textOf(part: FormFile | FormField): Promise<unknown> {
  if (part.kind === 'field') return part.value;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of part.bytes) {
    size += piece.length;
    if (size > longestField) throw invalid(typesField, `must not be longer than ${longestField} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

const readUploadTypes = inputReader(uploadTypes);

function readTypes(value: unknown): [name: string, type: string][] {
  const { mimetypes } = readUploadTypes({ mimetypes: typeof value === 'string' ? parseTypes(value) : value });
  return Object.entries(mimetypes).map(([name, text]) => {
    const type = mediaType(text);
    if (type === undefined) throw invalid(`${typesField}.${name}`, 'must be a MIME type such as image/jpeg');
    return [name, type];
  });
}

function parseTypes(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(typesField, 'must be a JSON object of MIME types by file name');
  }
}

const invalid = (path: string, message: string): AppError => invalidInput([{ path, message }]);
