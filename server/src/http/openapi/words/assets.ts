import { assetParams, uploadedAssets, uploadForm } from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// Interface.md 4.2 with contract §3.

export const assetSchemas = [
  described('AssetParams', assetParams, 'The id of a file.', {
    asset_id: '16 letters and digits. The first id of an upload represents all of its files.',
  }),
  described('Upload', uploadForm, 'One or more files.', {
    files: 'A batch repeats the field. Empty files are valid.',
    mimetypes: 'JSON: MIME types by file name. They take precedence over the content and the name of a file.',
  }),
  described('UploadedAssets', uploadedAssets, 'The files are stored.', {
    id: "The first file's id. Records refer to the upload by this id.",
    ids: 'The ids of all files, in the order of the upload.',
  }),
];
