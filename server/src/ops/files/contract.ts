import { assetParams, nothing, operation } from '@tailgate/sync-protocol';
import { ofOperators } from '../contract.ts';

// Operators' contract: the bytes of files.

export const opsFileOperations = {
  readOpsAsset: operation({
    ...ofOperators,
    role: 'look',
    method: 'GET',
    path: '/ops/assets/:asset_id',
    params: assetParams,
    summary: 'The bytes of a file as the phone sent them. A picture shows in its page, any other file is a download.',
    message: 'File',
    body: nothing,
    query: nothing,
    data: nothing,
    answers: 'file',
    requestHeaders: ['if-none-match', 'range'],
    errors: ['ASSET_NOT_FOUND'],
  }),
} as const;
