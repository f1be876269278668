/**
 * Every error code of REST answers, frames and quarantine entries, with meaning and HTTP status. `retry`: the same
 * request may succeed later. `final`: the request must change first.
 */
export const errorCodes = {
  VALIDATION_FAILED: { status: 400, retry: 'final', meaning: 'The body, the query or a path parameter is malformed.' },
  MISSING_CREDENTIALS: { status: 401, retry: 'final', meaning: 'The headers employee_id and api_token are required.' },
  INVALID_TOKEN: { status: 401, retry: 'final', meaning: 'The token is unknown, expired or signed out.' },
  INVALID_CREDENTIALS: { status: 401, retry: 'final', meaning: 'The employee id or the password is wrong.' },
  NOT_ASSIGNED: { status: 403, retry: 'final', meaning: 'The route was never assigned to this driver.' },
  INVITATION_REQUIRED: {
    status: 403,
    retry: 'final',
    meaning: 'Signing up needs a code of the office that counts for this employee.',
  },
  ROLE_REQUIRED: { status: 403, retry: 'final', meaning: 'The role of this operator does not include the operation.' },
  PASSWORD_CHANGE_REQUIRED: {
    status: 403,
    retry: 'final',
    meaning: 'The session began with a one-time password; set an own password first.',
  },
  NO_PENDING_ROUTE: { status: 404, retry: 'final', meaning: 'The driver has no pending route.' },
  ROUTE_NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such route.' },
  STOP_NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such stop on this route.' },
  ASSET_NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such asset.' },
  EMPLOYEE_NOT_FOUND: {
    status: 404,
    retry: 'final',
    meaning: 'No active employee with this id in the employee master.',
  },
  TABLE_NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such table in the service library.' },
  HOLD_NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such hold, or none that can be ended here.' },
  PARKED_NOT_FOUND: {
    status: 404,
    retry: 'final',
    meaning: 'Nothing is parked under this id, or not any more.',
  },
  INCIDENT_NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such incident.' },
  INVITATION_NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such invitation that can be used.' },
  DEVICE_NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such queue of a phone.' },
  QUARANTINE_NOT_FOUND: { status: 404, retry: 'final', meaning: 'Nothing was ever kept under this id.' },
  NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such path.' },
  RECORDED_IN_SHADOW: {
    status: 404,
    retry: 'final',
    meaning: 'The stop was recorded while its facility was not live: another system has it on record.',
  },
  OTHER_DRIVERS_SIGNED_IN: { status: 409, retry: 'final', meaning: 'Another driver of the same route is signed in.' },
  ALREADY_REGISTERED: { status: 409, retry: 'final', meaning: 'This employee has signed up before.' },
  AMBIGUOUS_ROUTE: {
    status: 409,
    retry: 'final',
    meaning: 'The id fits several open routes; send facility and week_end.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 409, retry: 'final', meaning: 'The key was used before with another content.' },
  DECIDED_BEFORE: { status: 409, retry: 'final', meaning: 'Another operator has decided this before.' },
  NOT_DELIVERED: { status: 409, retry: 'final', meaning: 'The stop is not delivered.' },
  PROOF_REQUESTED: { status: 409, retry: 'final', meaning: 'Another operator has sent it meanwhile.' },
  QUARANTINE_RELEASED: { status: 409, retry: 'final', meaning: 'It was released before: the ledger has it.' },
  TOO_LARGE: { status: 413, retry: 'final', meaning: 'The body or file exceeds the limit.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retry: 'final', meaning: 'The content type is not accepted here.' },
  RATE_LIMITED: { status: 429, retry: 'retry', meaning: 'Too many requests; wait as Retry-After says.' },
  INTERNAL: { status: 500, retry: 'retry', meaning: 'Something failed on our side.' },
  DATABASE_UNAVAILABLE: { status: 503, retry: 'retry', meaning: 'The database cannot be reached now.' },
  HOST_UNAVAILABLE: { status: 503, retry: 'retry', meaning: 'The legacy host cannot be reached now.' },
  IDENTITY_PROVIDER_UNAVAILABLE: {
    status: 503,
    retry: 'retry',
    meaning: 'The identity provider of the operators cannot be reached now.',
  },
  // Files by tus only (docs/protocol.md, Files); the statuses are those of tus 1.0.
  UPLOAD_NOT_FOUND: { status: 404, retry: 'final', meaning: 'No such upload of this driver; begin it with POST.' },
  OFFSET_CONFLICT: { status: 409, retry: 'final', meaning: 'The upload has another offset; HEAD returns it.' },
  UPLOAD_EXPIRED: { status: 410, retry: 'final', meaning: 'The upload has waited too long for its next bytes.' },
  UNSUPPORTED_TUS_VERSION: { status: 412, retry: 'final', meaning: 'The header Tus-Resumable must be 1.0.0.' },
  UPLOAD_LOCKED: { status: 423, retry: 'retry', meaning: 'Another request for this upload is under way.' },
  CHECKSUM_MISMATCH: { status: 460, retry: 'final', meaning: 'The bytes are not those of the id.' },
  UNSUPPORTED_TUS_EXTENSION: { status: 501, retry: 'final', meaning: 'This server lacks that extension of tus.' },
  // Sync channel only: `error` and `reject` frames, quarantine reasons.
  UNKNOWN_MUTATION: { status: 400, retry: 'final', meaning: 'This server knows no mutation of this name and version.' },
  ID_REUSED: { status: 409, retry: 'final', meaning: 'This mutation id came before with another content.' },
  CLIENT_OF_OTHER_EMPLOYEE: { status: 403, retry: 'final', meaning: 'This queue belongs to another employee.' },
  CLIENT_REVOKED: { status: 403, retry: 'final', meaning: 'An operator revoked this queue.' },
  UNSUPPORTED_PROTOCOL: { status: 400, retry: 'final', meaning: 'This server does not support that protocol version.' },
  FRAME_TOO_LARGE: { status: 413, retry: 'final', meaning: 'The frame exceeds the limit in welcome.' },
  BAD_FRAME: { status: 400, retry: 'final', meaning: 'The frame is no JSON or fits no known form.' },
  SLOW_READER: { status: 503, retry: 'retry', meaning: 'The connection reads more slowly than it is written to.' },
} as const satisfies Record<string, { status: number; retry: 'retry' | 'final'; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** Default waits before a retry, in seconds. Phones add their own jitter. */
export const retryAfterSeconds: Readonly<Partial<Record<ErrorCode, number>>> = {
  RATE_LIMITED: 2,
  UPLOAD_LOCKED: 2,
  DATABASE_UNAVAILABLE: 5,
  HOST_UNAVAILABLE: 30,
  IDENTITY_PROVIDER_UNAVAILABLE: 5,
};

/** One fault in an input. `path` begins at the body's root, such as `stops.0.updates.status`. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}
