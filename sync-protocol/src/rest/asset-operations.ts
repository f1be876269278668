import * as z from '#schema';
import { assetParams, uploadedAssets, uploadForm } from '../schema/assets.ts';
import { nothing, operation } from './operations.ts';
import { assetId } from '../schema/values.ts';

/** Interface.md 4.2: files, on the prefixed set only. */
export const assetOperations = {
  uploadAssets: operation({
    method: 'POST',
    path: '/assets',
    sets: ['v20'],
    access: 'open',
    summary: 'Stores one or more files; the first id is the one to keep.',
    message: 'Files stored',
    body: nothing,
    form: uploadForm,
    query: nothing,
    data: uploadedAssets,
    requestHeaders: ['idempotency-key'],
    errors: ['TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'IDEMPOTENCY_KEY_REUSED', 'RATE_LIMITED'],
  }),
  downloadAsset: operation({
    method: 'GET',
    path: '/assets/raw/:asset_id',
    sets: ['v20'],
    access: 'open',
    summary: 'The bytes of one file, as a download.',
    message: 'File',
    params: assetParams,
    body: nothing,
    query: nothing,
    data: nothing,
    answers: 'file',
    requestHeaders: ['if-none-match', 'range'],
    errors: ['ASSET_NOT_FOUND'],
  }),
  readAssetUrls: operation({
    method: 'GET',
    path: '/assets/:asset_id',
    sets: ['v20'],
    access: 'open',
    summary: 'The files of an upload as base64 data URLs, in their order.',
    message: 'Files',
    params: assetParams,
    body: nothing,
    query: nothing,
    data: z.array(z.string()),
    errors: ['ASSET_NOT_FOUND'],
  }),
  listAssetIds: operation({
    method: 'GET',
    path: '/assets/ids/:asset_id',
    sets: ['v20'],
    access: 'open',
    summary: 'The ids of the files of an upload, in their order.',
    message: 'Files of the upload',
    params: assetParams,
    body: nothing,
    query: nothing,
    data: z.array(assetId),
    errors: ['ASSET_NOT_FOUND'],
  }),
};
