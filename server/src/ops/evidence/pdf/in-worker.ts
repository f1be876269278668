import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EvidenceFile, StopEvidence } from '../evidence.ts';
import type { Cover, Sources } from './render.ts';

/** A request of the thread. It has one at a time, and waits for the answer. */
export type Request =
  | { readonly kind: 'cover' | 'stop' | 'end' }
  | { readonly kind: 'picture'; readonly file: EvidenceFile }
  | { readonly kind: 'sign'; readonly digest: Uint8Array }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** The answer to a request of the same kind. */
export type Answer =
  | { readonly kind: 'cover'; readonly cover: Cover }
  | { readonly kind: 'stop'; readonly stop: StopEvidence | undefined }
  | { readonly kind: 'picture'; readonly bytes: Uint8Array | undefined }
  | { readonly kind: 'sign'; readonly signature: Uint8Array }
  | { readonly kind: 'bytes' };

/**
 * Renders the evidence in a thread of its own: fonts and layout take some hundred milliseconds, in which the server
 * would answer no phone. The thread makes the next page when the reader has taken the last one.
 */
export async function* renderInWorker(cover: Cover, { stops, picture, sign }: Sources): AsyncGenerator<Uint8Array> {
  const worker = new Worker(new URL('worker.ts', import.meta.url));
  const ahead = stops[Symbol.asyncIterator]();
  const answer = (value: Answer): void => worker.postMessage(value);
  try {
    // An error of the thread ends the loop.
    for await (const request of requestsOf(worker)) {
      if (request.kind === 'end') return;
      if (request.kind === 'cover') answer({ kind: 'cover', cover });
      else if (request.kind === 'picture') answer({ kind: 'picture', bytes: await picture(request.file) });
      else if (request.kind === 'sign') {
        if (!sign) throw new Error('a document without a key asks for its signature');
        answer({ kind: 'sign', signature: await sign(request.digest) });
      } else if (request.kind === 'stop') {
        const step = await ahead.next();
        answer({ kind: 'stop', stop: step.done === true ? undefined : step.value });
      } else if (request.kind === 'bytes') {
        yield request.bytes;
        answer({ kind: 'bytes' });
      }
    }
  } finally {
    await worker.terminate();
  }
}

async function* requestsOf(worker: Worker): AsyncGenerator<Request> {
  const messages: AsyncIterable<readonly Request[]> = on(worker, 'message', { close: ['exit'] });
  for await (const [request] of messages) if (request) yield request;
  throw new Error('the thread of a document has ended before the document');
}
