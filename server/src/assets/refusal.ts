import type { ErrorCode } from '@tailgate/sync-protocol';

/** Why an upload is not taken; the edge answers it with the code's status. */
export class UploadRefusal extends Error {
  override readonly name = 'UploadRefusal';
  readonly code: Extract<ErrorCode, 'TOO_LARGE' | 'IDEMPOTENCY_KEY_REUSED'>;

  constructor(code: UploadRefusal['code'], message: string) {
    super(message);
    this.code = code;
  }
}
