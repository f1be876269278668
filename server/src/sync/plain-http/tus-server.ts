import type { AsyncLocalStorage } from 'node:async_hooks';
import type { CancellationContext, DataStore, ServerOptions } from '@tus/server';
import { Server, TUS_RESUMABLE } from '@tus/server';
import type { Log } from '../../runtime/log.ts';
import type { AppError } from '../../wire/errors.ts';
import { errorAnswer } from '../../wire/errors.ts';
import { tusErrorOf, tusHeaderError } from './tus-errors.ts';

/** The current request. The library passes it neither to the store nor to the writer of the answer. */
export interface TusRequest {
  readonly id: string;
  /** The owner of the upload, and of its quota. */
  readonly owner: string;
  /** The error that the answer carries, once something was thrown. */
  error?: AppError;
}

export type TusRequests = AsyncLocalStorage<TusRequest>;

type Options = Omit<ServerOptions, 'locker' | 'onResponseError'> & { readonly datastore: DataStore };

/** The tus library with the error envelope of the REST interface (contract §1). */
export class TusServer extends Server {
  readonly #requests: TusRequests;

  constructor(options: Options, requests: TusRequests, log: Log) {
    const note = (thrown: Parameters<typeof tusErrorOf>[0]): { status_code: number; body: string } => {
      const error = tusErrorOf(thrown);
      if (error.code === 'INTERNAL') log.error({ err: thrown }, 'an upload failed');
      const request = requests.getStore();
      if (request) request.error = error;
      return { status_code: errorAnswer(error, '').status, body: '' };
    };
    super({ ...options, onResponseError: (_request, thrown) => note(thrown) });
    this.#requests = requests;
  }

  /** The library sends every error answer through here: thrown errors and its verdict on the headers. */
  override write(
    context: CancellationContext,
    headers: Headers,
    status: number,
    body = '',
  ): ReturnType<Server['write']> {
    if (status < 400) return super.write(context, headers, status, body);
    const { id, error = tusHeaderError(body) } = this.#requests.getStore() ?? { id: '' };
    const answer = errorAnswer(error, id);
    headers.set('content-type', 'application/json; charset=utf-8');
    if (error.code === 'UNSUPPORTED_TUS_VERSION') headers.set('tus-version', TUS_RESUMABLE);
    for (const [name, value] of Object.entries(answer.headers)) headers.set(name, value);
    return super.write(context, headers, answer.status, JSON.stringify(answer.body));
  }
}
