import type { ErrorCode } from '@tailgate/sync-protocol';

/** Refuses a request for an upload. The edge answers with the status of the code. */
export class UploadRefusal extends Error {
  override readonly name = 'UploadRefusal';
  readonly code: Extract<ErrorCode, 'TOO_LARGE' | 'IDEMPOTENCY_KEY_REUSED' | 'UPLOAD_NOT_FOUND'>;

  constructor(code: UploadRefusal['code'], message: string) {
    super(message);
    this.code = code;
  }
}
