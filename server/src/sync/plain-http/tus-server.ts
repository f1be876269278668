import type { AsyncLocalStorage } from 'node:async_hooks';
import type { CancellationContext, DataStore, ServerOptions } from '@tus/server';
import { Server, TUS_RESUMABLE } from '@tus/server';
import type { Log } from '../../runtime/log.ts';
import { errorBody, retryAfter, statusOf } from './plain-http.ts';
import type { TusRefusal } from './tus-refusal.ts';
import { refusalOf, refusalOfHeaders } from './tus-refusal.ts';

/** The request that the library answers: it hands neither to the store nor to the writer of the answer. */
export interface TusRequest {
  readonly id: string;
  /** The owner of the upload, and of its quota. */
  readonly owner: string;
  /** The reason for the answer, once something was thrown. */
  refusal?: TusRefusal;
}

export type TusRequests = AsyncLocalStorage<TusRequest>;

type Options = Omit<ServerOptions, 'locker' | 'onResponseError'> & { readonly datastore: DataStore };

/** The tus library, whose refusals have the error envelope of the REST interface (contract §1). */
export class TusServer extends Server {
  readonly #requests: TusRequests;

  constructor(options: Options, requests: TusRequests, log: Log) {
    const note = (error: Parameters<typeof refusalOf>[0]): { status_code: number; body: string } => {
      const refusal = refusalOf(error);
      if (refusal.code === 'INTERNAL') log.error({ err: error }, 'an upload failed');
      const request = requests.getStore();
      if (request) request.refusal = refusal;
      return { status_code: statusOf(refusal.code), body: '' };
    };
    super({ ...options, onResponseError: (_request, error) => note(error) });
    this.#requests = requests;
  }

  /** The library sends every refusal through here: what was thrown, and what it finds wrong with the headers. */
  override write(
    context: CancellationContext,
    headers: Headers,
    status: number,
    body = '',
  ): ReturnType<Server['write']> {
    if (status < 400) return super.write(context, headers, status, body);
    const { id, refusal = refusalOfHeaders(body) } = this.#requests.getStore() ?? { id: '' };
    const { code, message, details } = refusal;
    headers.set('content-type', 'application/json; charset=utf-8');
    if (code === 'UNSUPPORTED_TUS_VERSION') headers.set('tus-version', TUS_RESUMABLE);
    for (const [name, value] of Object.entries(retryAfter(code))) headers.set(name, value);
    return super.write(context, headers, statusOf(code), JSON.stringify(errorBody(id, code, message, details)));
  }
}
