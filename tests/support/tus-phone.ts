import { createHash } from 'node:crypto';
import { assetIdBytes, assetIdText, formatAssetId } from '@tailgate/sync-protocol';

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The id that a device makes of a file (docs/protocol.md, Files). */
export const deviceAssetId = (salt: string, bytes: Uint8Array): string =>
  formatAssetId(
    createHash('sha256')
      .update(assetIdText({ salt, length: bytes.length, sha256: sha256Of(bytes) }))
      .digest()
      .subarray(0, assetIdBytes),
  );

/** The announcement of a device's upload. */
export const deviceMetadata = (salt: string, bytes: Uint8Array, filename = 'photo.jpg'): Record<string, string> => ({
  asset_id: deviceAssetId(salt, bytes),
  salt,
  sha256: sha256Of(bytes),
  filename,
});

/** Sends tus 1.0 request by request, for cases that no library produces. */
export class TusPhone {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#url = `${url}/api/sync/uploads`;
    this.#headers = { 'tus-resumable': '1.0.0', ...headers };
  }

  create(length: number, metadata: Record<string, string> = {}): Promise<Response> {
    const pairs = Object.entries(metadata).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
    const more: Record<string, string> = { 'upload-length': String(length) };
    if (pairs.length > 0) more['upload-metadata'] = pairs.join(',');
    return fetch(this.#url, { method: 'POST', headers: { ...this.#headers, ...more } });
  }

  patch(id: string, offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<Response> {
    const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
    return fetch(`${this.#url}/${id}`, { method: 'PATCH', headers: { ...this.#headers, ...headers }, body: bytes });
  }

  head(id: string): Promise<Response> {
    return fetch(`${this.#url}/${id}`, { method: 'HEAD', headers: this.#headers });
  }

  forget(id: string): Promise<Response> {
    return fetch(`${this.#url}/${id}`, { method: 'DELETE', headers: this.#headers });
  }
}
