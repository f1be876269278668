import type { HttpStack } from 'tus-js-client';
import { DetailedError, Upload } from 'tus-js-client';
import { messageOf } from '../platform/errors.ts';
import { fields, text } from '../platform/reading.ts';
import type { KeptFile } from './file-store.ts';

/** What became of one attempt. */
export type Outcome =
  /** `epoch`: the life of the database that took it, where the answer tells it. */
  | { readonly is: 'here'; readonly epoch: string | undefined }
  /** May work later: the link broke, the server has trouble; `status` is 0 without an answer. `moved`: some of it arrived. */
  | { readonly is: 'later'; readonly status: number; readonly moved: boolean; readonly reason: string }
  /** What was shown does not open the door any more. */
  | { readonly is: 'denied' }
  /** These bytes will never be taken. */
  | { readonly is: 'refused'; readonly reason: string };

export interface Attempt {
  readonly file: KeptFile;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of uploads, without a slash at its end. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Nobody has sent anything of it yet: begin, and do not ask how far it is. */
  readonly isNew: boolean;
  /** The first request brings no bytes: its answer shows that there is a network. */
  readonly asksFirst?: boolean;
  /** Bytes a request. */
  readonly chunkBytes: number;
  /** What sends the requests; undefined for the platform's own. */
  readonly httpStack?: HttpStack | undefined;
  readonly signal: AbortSignal;
  readonly progress: (bytes: number) => void;
  /** The server has answered, or the first bytes leave this device. */
  readonly begun: () => void;
}

/** Moves a file on, from where the server says it stands: its address follows from its id, so nothing is remembered. */
export function sendFile({ file, bytes, endpoint, isNew, signal, ...line }: Attempt): Promise<Outcome> {
  const { id: asset_id, salt, sha256, name: filename } = file;
  return new Promise((resolve) => {
    let moved = false;
    const upload = new Upload(source, {
      endpoint,
      uploadUrl: isNew ? null : `${endpoint}/${asset_id}`,
      headers: { ...line.headers },
      metadata: { asset_id, salt, sha256, filename },
      chunkSize: line.chunkBytes,
      ...(line.httpStack && { httpStack: line.httpStack }),
      uploadDataDuringCreation: isNew && !line.asksFirst && bytes.length > 0,
      onUploadUrlAvailable: line.begun,
      // Patience is the loop's: it knows of other files, and of a network that has come back.
      retryDelays: null,
      storeFingerprintForResuming: false,
      fingerprint: () => Promise.resolve(asset_id),
      fileReader: { openFile: () => Promise.resolve(sourceOf(bytes)) },
      onProgress: (sent) => {
        if (!moved && sent > 0) line.begun();
        moved ||= sent > 0;
        line.progress(sent);
      },
      onSuccess: ({ lastResponse }) => resolve({ is: 'here', epoch: lastResponse.getHeader('server-epoch') }),
      onError: (error) => resolve(outcomeOf(error, moved)),
    });
    const stop = (): void => {
      void upload.abort();
      resolve({ is: 'later', status: 0, moved, reason: 'the app stopped' });
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    upload.start();
  });
}

/** What the library is given in the place of a file: `sourceOf` reads it. */
const source = { read: () => Promise.resolve({ done: true as const, value: undefined }) };

/** Bytes, not blobs: Node's requests take no others, and React Native makes no blobs of bytes. The library wants their `size`, too. */
const sourceOf = (bytes: Uint8Array<ArrayBuffer>) => ({
  size: bytes.length,
  slice: (start: number, end: number) => {
    const part = bytes.slice(start, end);
    return Promise.resolve({ value: Object.assign(part, { size: part.length }), done: end >= bytes.length });
  },
  close: () => undefined,
});

/** 400, 413: not as it is. 460: the bytes are not those of the id. All else may pass. */
function outcomeOf(error: Error, moved: boolean): Outcome {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  const status = response?.getStatus() ?? 0;
  if (status === 401 || status === 403) return { is: 'denied' };
  if (status === 400 || status === 413 || status === 460)
    return { is: 'refused', reason: wordsOf(response?.getBody() ?? '') || `the server answered ${status}` };
  return { is: 'later', status, moved, reason: messageOf(error) };
}

const isEnvelope = fields({ message: text });

/** What a refusal says to people. Older servers answer in plain text. */
function wordsOf(body: string): string {
  try {
    const said: unknown = JSON.parse(body);
    if (isEnvelope(said)) return said.message;
  } catch {
    // Plain text.
  }
  return body.trim();
}
