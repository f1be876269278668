import { operations } from '@tailgate/sync-protocol';
import { fileReader, type Part } from '../../assets/file-bytes.ts';
import type { Asset } from '../../assets/queries.ts';
import { findAsset, findUploadFiles } from '../../assets/queries.ts';
import type { UploadDeps } from '../../assets/upload.ts';
import { asDownload, assetAnswer, bodyOf, forever } from '../answers/file-answer.ts';
import { dataUrlEnvelope } from '../answers/data-urls.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { RawAnswer } from '../answers/raw-answer.ts';
import { receiveUpload } from './uploads.ts';

/** Interface.md 4.2, contract §3. */
export function assetEndpoints(deps: UploadDeps) {
  const { db, store } = deps;
  const readFile = fileReader(db, store);
  return {
    uploadAssets: endpoint(operations.uploadAssets, async ({ request, idempotencyKey }) => {
      const ids = await receiveUpload(deps, request, idempotencyKey);
      return { data: { id: ids[0] ?? '', ids } };
    }),

    downloadAsset: endpoint(operations.downloadAsset, async ({ request, params }) => {
      const asset = await findAsset(db, params.asset_id);
      if (!asset) throw new AppError('ASSET_NOT_FOUND');
      const read = (part?: Part) => readFile(asset, part);
      return assetAnswer(request, asset, { read, cacheControl: forever, headers: asDownload });
    }),

    readAssetUrls: endpoint(operations.readAssetUrls, async ({ request, params }) => {
      const { length, text } = dataUrlEnvelope(operations.readAssetUrls.message, await uploadOf(params.asset_id));
      const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(length) };
      return new RawAnswer(
        200,
        headers,
        bodyOf(request, () => text((asset) => readFile(asset))),
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
