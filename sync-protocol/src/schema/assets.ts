import * as z from '#schema';
import { assetId } from './values.ts';

/** Path parameter of what reads assets. */
export const assetParams = z.object({ asset_id: assetId });

/** The parts of an upload. */
export const uploadForm = z.object({
  /** The field is repeated for a batch. */
  files: z.array(z.file()),
  /** JSON: an object of MIME types by file name; they go before what the bytes and the names say. */
  mimetypes: z.optional(z.string()),
});

/** The field `mimetypes`, read. */
export const uploadTypes = z.object({ mimetypes: z.record(z.string(), z.string()) });

/** `data` of POST /assets: the first file's id, which is the one to store, and one id a file in their order. */
export const uploadedAssets = z.strictObject({ id: assetId, ids: z.array(assetId) });
