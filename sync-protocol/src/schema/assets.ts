import * as z from '#schema';
import { assetId } from './values.ts';

/** Path parameter of the operations that read assets. */
export const assetParams = z.object({ asset_id: assetId });

/** The parts of an upload. */
export const uploadForm = z.object({
  /** A batch repeats the field. */
  files: z.array(z.file()),
  /** JSON: an object of MIME types by file name. They take precedence over types from bytes and names. */
  mimetypes: z.optional(z.string()),
});

/** The field `mimetypes`, parsed. */
export const uploadTypes = z.object({ mimetypes: z.record(z.string(), z.string()) });

/** `data` of POST /assets: the first file's id, which a client stores, and the ids of all files in order. */
export const uploadedAssets = z.strictObject({ id: assetId, ids: z.array(assetId) });
