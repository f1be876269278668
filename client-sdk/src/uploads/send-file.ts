import type { HttpStack } from 'tus-js-client';
import { DetailedError, isSupported, Upload } from 'tus-js-client';
import type { Environment } from '../platform/environment.ts';
import { messageOf } from '../platform/errors.ts';
import { fields, text } from '../platform/reading.ts';
import { fetchStack } from './fetch-stack.ts';
import type { KeptFile } from './file-store.ts';

/** The result of one attempt. */
export type Outcome =
  /** `epoch`: that of the database that has the file, where the answer contains it. */
  | { readonly is: 'here'; readonly epoch: string | undefined }
  /**
   * May work later: the link broke, or the server failed; `status` is 0 without an answer. `hasProgress`: some bytes
   * arrived.
   */
  | { readonly is: 'later'; readonly status: number; readonly hasProgress: boolean; readonly reason: string }
  /** The server rejected the credentials. */
  | { readonly is: 'denied' }
  /** The server will never accept these bytes. */
  | { readonly is: 'refused'; readonly reason: string };

export interface Attempt {
  readonly file: KeptFile;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The address of uploads, without a final slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** None of its bytes were ever sent: start without asking the server for an offset. */
  readonly isNew: boolean;
  /** The first request carries no bytes: its answer shows that the network works. */
  readonly asksFirst?: boolean;
  /** Bytes per request. */
  readonly chunkBytes: number;
  /** Sends the requests; undefined for the platform's own. */
  readonly httpStack?: HttpStack | undefined;
  /** Of this attempt alone: it holds the bytes. */
  readonly signal: AbortSignal;
  readonly progress: (bytes: number) => void;
  /** The server has answered, or the first bytes leave this device. */
  readonly begun: () => void;
  /** The server has taken the bytes of a request. */
  readonly taken: () => void;
}

/** How requests are sent. If the platform's own requests report no progress, `fetch` sends smaller ones. */
export const requestsOf = (
  { chunkBytes, httpStack }: { readonly chunkBytes: number | undefined; readonly httpStack: HttpStack | undefined },
  fetch: Environment['fetch'],
) => ({
  chunkBytes: chunkBytes ?? (isSupported ? 1024 : 256) * 1024,
  httpStack: httpStack ?? (isSupported ? undefined : fetchStack(fetch)),
});

/** Continues a file at the server's offset. Its address follows from its id, so no resume state is stored. */
export function sendFile({ file, bytes, endpoint, isNew, signal, ...attempt }: Attempt): Promise<Outcome> {
  const { id: asset_id, salt, sha256, name: filename } = file;
  return new Promise((resolve) => {
    let hasProgress = false;
    const upload = new Upload(source, {
      endpoint,
      uploadUrl: isNew ? null : `${endpoint}/${asset_id}`,
      headers: { ...attempt.headers },
      metadata: { asset_id, salt, sha256, filename },
      chunkSize: attempt.chunkBytes,
      ...(attempt.httpStack && { httpStack: attempt.httpStack }),
      uploadDataDuringCreation: isNew && !attempt.asksFirst && bytes.length > 0,
      onUploadUrlAvailable: attempt.begun,
      // The loop does the retries: it considers other files and a returning network.
      retryDelays: null,
      storeFingerprintForResuming: false,
      fingerprint: () => Promise.resolve(asset_id),
      fileReader: { openFile: () => Promise.resolve(sourceOf(bytes)) },
      onChunkComplete: attempt.taken,
      onProgress: (sent) => {
        if (!hasProgress && sent > 0) attempt.begun();
        hasProgress ||= sent > 0;
        attempt.progress(sent);
      },
      onSuccess: ({ lastResponse }) => resolve({ is: 'here', epoch: lastResponse.getHeader('server-epoch') }),
      onError: (error) => resolve(outcomeOf(error, hasProgress)),
    });
    const stop = (): void => {
      void upload.abort();
      resolve({ is: 'later', status: 0, hasProgress, reason: 'the attempt was ended' });
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    upload.start();
  });
}

/** A placeholder for the library's file argument: `sourceOf` reads the bytes. */
const source = { read: () => Promise.resolve({ done: true as const, value: undefined }) };

/**
 * Bytes instead of blobs: Node's requests accept no others, and React Native makes no blobs of bytes. The library reads
 * `size`.
 */
const sourceOf = (bytes: Uint8Array<ArrayBuffer>) => ({
  size: bytes.length,
  slice: (start: number, end: number) => {
    const part = bytes.slice(start, end);
    return Promise.resolve({ value: Object.assign(part, { size: part.length }), done: end >= bytes.length });
  },
  close: () => undefined,
});

/** 400 and 413: rejected permanently. 460: the bytes do not match the id. All others may be temporary. */
function outcomeOf(error: Error, hasProgress: boolean): Outcome {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  const status = response?.getStatus() ?? 0;
  if (status === 401 || status === 403) return { is: 'denied' };
  const reason = messageIn(response?.getBody() ?? '') || (status ? `the server answered ${status}` : messageOf(error));
  if (status === 400 || status === 413 || status === 460) return { is: 'refused', reason };
  return { is: 'later', status, hasProgress, reason };
}

const isEnvelope = fields({ message: text });

/** The message of a rejection. Older servers answer in plain text. */
function messageIn(body: string): string {
  try {
    const content: unknown = JSON.parse(body);
    if (isEnvelope(content)) return content.message;
  } catch {
    // Plain text.
  }
  return body.trim();
}
