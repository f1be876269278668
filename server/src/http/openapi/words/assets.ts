import { assetParams, uploadedAssets, uploadForm } from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// Interface.md 4.2 with contract §3.

export const assetSchemas = [
  described('AssetParams', assetParams, 'Which file.', {
    asset_id: '16 letters and digits. The first id of an upload stands for all of its files.',
  }),
  described('Upload', uploadForm, 'Files, one or more.', {
    files: 'The field is repeated for a batch. Empty files are files.',
    mimetypes: 'JSON: MIME types by file name. They go before what the bytes and the names say.',
  }),
  described('UploadedAssets', uploadedAssets, 'The files are stored.', {
    id: "The first file's id: the one to store.",
    ids: 'One id a file, in their order.',
  }),
];
