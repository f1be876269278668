import type { ErrorCode, ErrorDetail } from '@tailgate/sync-protocol';
import { errorCodes } from '@tailgate/sync-protocol';
import { ERRORS } from '@tus/server';
import { UploadRefusal } from '../../assets/refusal.ts';
import { OffsetMoved, OtherBytes } from '../../assets/resumable.ts';
import { isDatabaseUnavailable } from '../../db/unavailable.ts';

/** A refusal of the tus endpoint: a code of the catalogue, and each header at fault. */
export class TusRefusal extends Error {
  override readonly name = 'TusRefusal';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];

  constructor(code: ErrorCode, details: readonly ErrorDetail[] = [], cause?: unknown) {
    const faults = details.map(({ path, message }) => `${path}: ${message}`).join('; ');
    super(faults || errorCodes[code].meaning, { cause });
    this.code = code;
    this.details = details;
  }
}

/** A header that must be another one; members of `Upload-Metadata` follow a dot. */
export const wrongHeader = (path: string, message: string): TusRefusal =>
  new TusRefusal('VALIDATION_FAILED', [{ path, message }]);

/** The constants that the library throws, by the code that fits. */
const ofTheLibrary = new Map<unknown, () => TusRefusal>([
  [ERRORS.FILE_NOT_FOUND, () => new TusRefusal('UPLOAD_NOT_FOUND')],
  [ERRORS.FILE_NO_LONGER_EXISTS, () => new TusRefusal('UPLOAD_EXPIRED')],
  [ERRORS.INVALID_OFFSET, () => new TusRefusal('OFFSET_CONFLICT')],
  [ERRORS.ABORTED, () => new TusRefusal('UPLOAD_LOCKED')],
  [ERRORS.ERR_LOCK_TIMEOUT, () => new TusRefusal('UPLOAD_LOCKED')],
  [ERRORS.INVALID_CONTENT_TYPE, () => new TusRefusal('UNSUPPORTED_MEDIA_TYPE')],
  [ERRORS.MISSING_OFFSET, () => wrongHeader('upload-offset', 'must be sent')],
  [ERRORS.INVALID_LENGTH, () => wrongHeader('upload-length', 'must be sent')],
  [ERRORS.UNSUPPORTED_CONCATENATION_EXTENSION, () => new TusRefusal('UNSUPPORTED_TUS_EXTENSION')],
  [ERRORS.UNSUPPORTED_CREATION_DEFER_LENGTH_EXTENSION, () => new TusRefusal('UNSUPPORTED_TUS_EXTENSION')],
]);

/** The refusal for whatever was thrown. An unforeseen error shows nothing of the server's insides. */
export function refusalOf(error: Error | { readonly status_code: number }): TusRefusal {
  if (error instanceof TusRefusal) return error;
  if (error instanceof OffsetMoved) return new TusRefusal('OFFSET_CONFLICT', [], error);
  if (error instanceof OtherBytes) return new TusRefusal('CHECKSUM_MISMATCH', [], error);
  if (error instanceof UploadRefusal) return new TusRefusal(error.code, [], error);
  if (isDatabaseUnavailable(error)) return new TusRefusal('DATABASE_UNAVAILABLE', [], error);
  const known = ofTheLibrary.get(error);
  if (known) return known();
  // Several kinds of error say it, one of them not exported.
  if ('status_code' in error && error.status_code === 413) return new TusRefusal('TOO_LARGE');
  return new TusRefusal('INTERNAL', [], error);
}

/** The library checks these headers before it asks for a handler, and answers with their names alone. */
const forms: Readonly<Record<string, string>> = {
  'upload-offset': 'must be a whole number of bytes',
  'upload-length': 'must be a whole number of bytes',
  'upload-metadata': 'must be pairs of a key and a base64 value, with commas between the pairs',
  'x-forwarded-proto': 'must be http or https',
};

/** @param told what the library answers: `Tus-Resumable Required` or `Invalid NAME NAME…` */
export function refusalOfHeaders(told: string): TusRefusal {
  const [verdict, ...names] = told.toLowerCase().trim().split(' ');
  if (verdict === 'tus-resumable' || names.includes('tus-resumable')) return new TusRefusal('UNSUPPORTED_TUS_VERSION');
  if (names.join() === 'content-type') return new TusRefusal('UNSUPPORTED_MEDIA_TYPE');
  const faults = names.map((path) => ({ path, message: forms[path] ?? 'must be as tus 1.0 says' }));
  return new TusRefusal('VALIDATION_FAILED', faults);
}
