import type { ErrorCode, ErrorDetail } from '@tailgate/sync-protocol';
import { ERRORS } from '@tus/server';
import { UploadRefusal } from '../../assets/refusal.ts';
import { OffsetMoved, OtherBytes } from '../../assets/resumable.ts';
import { AppError, toAppError } from '../../wire/errors.ts';

/** The error for a wrong header; members of `Upload-Metadata` follow a dot. */
export const headerFault = (path: string, message: string): AppError => headerFaults([{ path, message }]);

const headerFaults = (details: readonly ErrorDetail[]): AppError =>
  new AppError('VALIDATION_FAILED', {
    message: details.map(({ path, message }) => `${path}: ${message}`).join('; '),
    details,
  });

/** Error codes for the constants that the library throws. */
const libraryCodes = new Map<unknown, ErrorCode>([
  [ERRORS.FILE_NOT_FOUND, 'UPLOAD_NOT_FOUND'],
  [ERRORS.FILE_NO_LONGER_EXISTS, 'UPLOAD_EXPIRED'],
  [ERRORS.INVALID_OFFSET, 'OFFSET_CONFLICT'],
  [ERRORS.ABORTED, 'UPLOAD_LOCKED'],
  [ERRORS.ERR_LOCK_TIMEOUT, 'UPLOAD_LOCKED'],
  [ERRORS.INVALID_CONTENT_TYPE, 'UNSUPPORTED_MEDIA_TYPE'],
  [ERRORS.UNSUPPORTED_CONCATENATION_EXTENSION, 'UNSUPPORTED_TUS_EXTENSION'],
  [ERRORS.UNSUPPORTED_CREATION_DEFER_LENGTH_EXTENSION, 'UNSUPPORTED_TUS_EXTENSION'],
]);

/** Headers that the library misses, by the constant that it throws. */
const missingHeaders = new Map<unknown, string>([
  [ERRORS.MISSING_OFFSET, 'upload-offset'],
  [ERRORS.INVALID_LENGTH, 'upload-length'],
]);

/** The error that answers anything thrown during a tus request. */
export function tusErrorOf(thrown: Error | { readonly status_code: number }): AppError {
  if (thrown instanceof OffsetMoved) return new AppError('OFFSET_CONFLICT', { cause: thrown });
  if (thrown instanceof OtherBytes) return new AppError('CHECKSUM_MISMATCH', { cause: thrown });
  if (thrown instanceof UploadRefusal) return new AppError(thrown.code, { cause: thrown });
  const code = libraryCodes.get(thrown);
  if (code !== undefined) return new AppError(code);
  const missing = missingHeaders.get(thrown);
  if (missing !== undefined) return headerFault(missing, 'must be sent');
  // Several kinds of error carry the status, one of them not exported.
  if ('status_code' in thrown && thrown.status_code === 413) return new AppError('TOO_LARGE');
  return toAppError(thrown);
}

/** The forms of headers that the library checks before it calls a handler. Its own answer contains only their names. */
const forms: Readonly<Record<string, string>> = {
  'upload-offset': 'must be a whole number of bytes',
  'upload-length': 'must be a whole number of bytes',
  'upload-metadata': 'must be pairs of a key and a base64 value, with commas between the pairs',
  'x-forwarded-proto': 'must be http or https',
};

/** @param verdict what the library answers: `Tus-Resumable Required` or `Invalid NAME NAME…` */
export function tusHeaderError(verdict: string): AppError {
  const [first, ...names] = verdict.toLowerCase().trim().split(' ');
  if (first === 'tus-resumable' || names.includes('tus-resumable')) return new AppError('UNSUPPORTED_TUS_VERSION');
  if (names.join() === 'content-type') return new AppError('UNSUPPORTED_MEDIA_TYPE');
  return headerFaults(names.map((path) => ({ path, message: forms[path] ?? 'must be as tus 1.0 says' })));
}
