import { operations } from '@tailgate/sync-protocol';
import type { Queryable } from '../../server/src/db/types.ts';
import type { Call, Reply, RestClient, Signed } from './rest-client.ts';

export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The header of the sender's part; the contract ignores it. */
  readonly type?: string;
}

export interface Upload extends Pick<Call, 'headers'> {
  readonly files: readonly SentFile[];
  /** Sent unchanged, before or after the files. */
  readonly mimetypes?: string;
  readonly mimetypesFirst?: boolean;
  readonly as?: Signed;
}

export function formOf({ files, mimetypes, mimetypesFirst = false }: Upload): FormData {
  const form = new FormData();
  if (mimetypes !== undefined && mimetypesFirst) form.append('mimetypes', mimetypes);
  for (const { name, bytes, type } of files) form.append('files', new File([bytes], name, { type: type ?? '' }));
  if (mimetypes !== undefined && !mimetypesFirst) form.append('mimetypes', mimetypes);
  return form;
}

export function sendFiles(client: RestClient, upload: Upload): Promise<Reply> {
  const { headers = {}, as } = upload;
  return client.call(operations.uploadAssets, { raw: formOf(upload), headers, ...(as && { as }) });
}

/** The ids of files that must be accepted. */
export async function storeFiles(client: RestClient, upload: Upload): Promise<string[]> {
  const { headers = {}, as } = upload;
  const { ids } = await client.take(operations.uploadAssets, { raw: formOf(upload), headers, ...(as && { as }) });
  return ids;
}

/** The raw bytes of a file and the headers of its answer. */
export async function download(
  { url }: RestClient,
  id: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const response = await fetch(`${url}/api/v20/assets/raw/${id}`, { method, headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The first bytes of files with a recognizable type, and some more. */
export const samples = {
  jpeg: fileOf('ffd8ffe000104a46494600010101006000600000'),
  png: fileOf('89504e470d0a1a0a0000000d4948445200000001000000010806000000'),
  pdf: new Uint8Array(Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n', 'latin1')),
} as const;

function fileOf(hex: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(200, 7)]));
}

/** The number of rows in every table that an upload writes. */
export async function keptOfUploads(db: Queryable): Promise<Record<KeptRow, number>> {
  const { rows } = await db.query<Record<KeptRow, number>>(
    `select (select count(*) from asset) as assets, (select count(*) from asset_chunk) as chunks,
            (select count(distinct content) from asset_chunk) as contents,
            (select count(*) from asset_intake) as intakes, (select count(*) from asset_upload_key) as keys`,
  );
  const [kept] = rows;
  if (!kept) throw new Error('one row of counts');
  return kept;
}
type KeptRow = 'assets' | 'chunks' | 'contents' | 'intakes' | 'keys';
