import { assetIdBytes, assetIdText, formatAssetId } from '@tailgate/sync-protocol';
import { newId, platform } from '../platform/environment.ts';
import { hexOf } from '../uploads/asset-id.ts';
import { joined, ScriptSha256 } from '../uploads/sha256.ts';
import { type Answer, refusal } from './scripted-auth.ts';
import type { ScriptedRequest } from './scripted-connections.ts';

/** A file that a scripted server has. */
export interface ScriptedFile {
  readonly id: string;
  readonly name: string;
  /** The first sender. */
  readonly employee: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface PartialUpload {
  readonly length: number;
  readonly name: string;
  /** The hash of the bytes, where the phone has announced it. */
  readonly sha256: string | undefined;
  bytes: Uint8Array<ArrayBuffer>;
}

const uploadsPath = '/api/sync/uploads';

/** Files by tus 1.0, as docs/protocol.md specifies. An interrupted request stores none of its bytes. */
export class ScriptedFiles {
  /** Complete and verified files, by id. */
  readonly here = new Map<string, ScriptedFile>();
  /** Incomplete uploads, by employee and id. */
  readonly #partialUploads = new Map<string, PartialUpload>();

  /** @param employee the owner of the request's credentials */
  answer({ method, url, headers, body }: ScriptedRequest, employee: string): Answer {
    const id = decodeURIComponent(url.pathname.slice(uploadsPath.length + 1));
    if (method === 'OPTIONS') return { status: 204, headers: { 'tus-version': '1.0.0', 'tus-extension': 'creation' } };
    if (method === 'POST') return this.#begin(headers, body, employee);
    const file = this.here.get(id);
    if (method === 'HEAD' && file) return uploadState(200, file.bytes.length, file.bytes.length);
    const upload = this.#partialUploads.get(`${employee} ${id}`);
    if (!upload) return refusal(404, 'UPLOAD_NOT_FOUND', `there is no upload ${id}`);
    if (method === 'HEAD') return uploadState(200, upload.bytes.length, upload.length);
    if (method !== 'PATCH') return refusal(404, 'NOT_FOUND');
    if (Number(headers['upload-offset']) !== upload.bytes.length)
      return refusal(409, 'OFFSET_CONFLICT', 'another offset');
    return this.#take(id, upload, body, employee, 204);
  }

  /** Whether the server has all files that a stop's result names. */
  has(result: unknown): boolean {
    return namedFiles(result).every((id) => this.here.has(id));
  }

  #begin(headers: ScriptedRequest['headers'], body: Uint8Array<ArrayBuffer>, employee: string): Answer {
    const length = Number(headers['upload-length']);
    if (!Number.isSafeInteger(length) || length < 0) return refusal(400, 'VALIDATION_FAILED', 'Upload-Length');
    const { asset_id, salt = '', sha256, filename = '' } = metadataOf(headers['upload-metadata'] ?? '');
    const id = asset_id ?? idOf(newId(platform));
    if (asset_id !== undefined && (sha256 === undefined || idOf(assetIdText({ salt, length, sha256 })) !== asset_id))
      return refusal(400, 'VALIDATION_FAILED', 'asset_id: not the id of these bytes');
    const known = this.here.get(id);
    if (known) return uploadState(201, known.bytes.length, known.bytes.length, id);
    const upload: PartialUpload = { length, name: filename, sha256, bytes: new Uint8Array() };
    this.#partialUploads.set(`${employee} ${id}`, upload);
    return this.#take(id, upload, body, employee, 201);
  }

  #take(id: string, upload: PartialUpload, more: Uint8Array<ArrayBuffer>, employee: string, status: number): Answer {
    if (upload.bytes.length + more.length > upload.length) return refusal(413, 'TOO_LARGE');
    upload.bytes = joined([upload.bytes, more]);
    if (upload.bytes.length === upload.length) {
      this.#partialUploads.delete(`${employee} ${id}`);
      const { name, bytes, sha256 } = upload;
      if (sha256 !== undefined && hexOf(sha256Of(bytes)) !== sha256) return refusal(460, 'CHECKSUM_MISMATCH');
      if (!this.here.has(id)) this.here.set(id, { id, name, employee, bytes });
    }
    return uploadState(status, upload.bytes.length, upload.length, status === 201 ? id : undefined);
  }
}

/** The state of an upload. */
const uploadState = (status: number, offset: number, length: number, id?: string): Answer => ({
  status,
  headers: {
    ...{ 'tus-resumable': '1.0.0', 'upload-offset': String(offset), 'upload-length': String(length) },
    ...(id !== undefined && { location: `${uploadsPath}/${id}` }),
  },
});

/** Parses the header `Upload-Metadata`: keys with values in base64, of UTF-8. */
function metadataOf(header: string): Partial<Record<string, string>> {
  const pairs = header.split(',').map((pair) => pair.trim().split(' '));
  const text = (base64: string): string =>
    new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
  return Object.fromEntries(pairs.map(([key = '', value = '']) => [key, text(value)]));
}

/** SHA-256. */
export const sha256Of = (bytes: Uint8Array): Uint8Array => {
  const hash = new ScriptSha256();
  hash.update(bytes);
  return hash.digest();
};

const idOf = (text: string): string => formatAssetId(sha256Of(new TextEncoder().encode(text)).slice(0, assetIdBytes));

/** The members of a stop's result that name files. */
const fileMembers = new Set(['signature_id', 'images_id', 'image_ids']);

function namedFiles(value: unknown, isFile = false): string[] {
  if (typeof value === 'string') return isFile && value !== '' ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    namedFiles(each, fileMembers.has(name) || (isFile && Array.isArray(value))),
  );
}
