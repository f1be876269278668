import type { Answer, AnyInput, DataOf, InputOf, OperationName } from './operations.ts';
import { operations } from './operations.ts';

/** The server has refused a request, with its reason. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  /** Each fault of the input with its path. */
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  /** `data` of the answer, such as the operator who was first. */
  readonly data: unknown;

  constructor(status: number, body: unknown) {
    const { message, data, error } = fieldsOf(body);
    const { code, details } = fieldsOf(error);
    super(typeof message === 'string' ? message : `HTTP ${status}`);
    this.status = status;
    this.code = typeof code === 'string' ? code : 'UNKNOWN';
    this.faults = Array.isArray(details) ? details.map(faultOf) : [];
    this.data = data;
  }
}

/** No answer, or one that is not the server's. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** No answer to a reading that the page repeats by itself. */
export class AskedAgain extends Unreachable {}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The ETag of the answer that the caller has: `unchanged` then stands for the same. */
  readonly etag?: string | undefined;
  /** In place of the operation's own. */
  readonly method?: 'HEAD';
}

export interface Api {
  /** @throws Refusal, Unreachable */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<Answer<DataOf<Name>>>;
  /**
   * Any operation, without types of its input and its answer; `useRead` and `useList` have them.
   *
   * @returns undefined where the answer with this ETag is still the present one
   * @throws Refusal, Unreachable
   */
  read(name: OperationName, input: AnyInput, options: CallOptions): Promise<Answer<never> | undefined>;
  /**
   * The lines of a stream, as they come.
   *
   * @throws Refusal, Unreachable
   */
  lines(name: OperationName, input: AnyInput, signal: AbortSignal): AsyncGenerator<string>;
  /**
   * The bytes of a file.
   *
   * @throws Refusal, Unreachable
   */
  bytes(name: OperationName, input: AnyInput, signal: AbortSignal): Promise<Blob>;
  /**
   * Sends a file as the field of a form.
   *
   * @throws Refusal, Unreachable
   */
  upload<Name extends OperationName>(name: Name, field: string, file: File): Promise<DataOf<Name>>;
  /**
   * Whether the server has a file, by HEAD.
   *
   * @throws Refusal, Unreachable
   */
  exists(name: OperationName, input: AnyInput): Promise<boolean>;
}

/** Where the console is served, the server is one folder up: `https://pod.example.com/office/` → `…/api`. */
export const apiUrl = (location: { readonly href: string }): string => new URL('../api', location.href).href;

interface Connection {
  readonly url: string;
  /** The operator's token; undefined while nobody is signed in. */
  readonly token: () => string | undefined;
  /** Called after each answer of the server. */
  readonly onAnswer?: (at: number) => void;
  /** Called where no answer came. */
  readonly onSilence?: () => void;
  /** The server takes the token no longer. */
  readonly onSignedOut?: () => void;
}

export function createApi({ url, token, onAnswer, onSilence, onSignedOut }: Connection): Api {
  const send = async (
    name: OperationName,
    input: AnyInput,
    { bearer, signal, etag, method }: CallOptions & { readonly bearer: string | undefined },
  ): Promise<Response> => {
    const [ofName, path] = operations[name];
    const headers = new Headers({ accept: 'application/json' });
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
    if (etag !== undefined) headers.set('if-none-match', etag);
    const isForm = input.body instanceof FormData;
    if (input.body !== undefined && !isForm) headers.set('content-type', 'application/json');
    const request = {
      method: method ?? ofName,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      ...(input.body !== undefined && {
        body: input.body instanceof FormData ? input.body : JSON.stringify(input.body),
      }),
      ...(signal && { signal }),
    } as const;
    try {
      return await fetch(addressOf(url, path, input), request);
    } catch (cause) {
      if (signal?.aborted !== true) onSilence?.();
      throw new Unreachable('the server does not answer', { cause });
    }
  };
  /** The answer of a request, where the server has not refused it. */
  const accepted = async (name: OperationName, input: AnyInput, options: CallOptions): Promise<Response> => {
    const bearer = token();
    const response = await send(name, input, { ...options, bearer });
    if (response.ok || response.status === 304) return response;
    const refusal = new Refusal(response.status, jsonOf(await whole(response.text(), options)));
    // A request from before the present sign-in says nothing about it. A wrong password ends no session.
    if (refusal.code === 'INVALID_TOKEN' && bearer !== undefined && bearer === token()) onSignedOut?.();
    throw refusal;
  };
  /** The body of an answer. One that breaks off, or that another machine wrote, is as no answer. */
  const whole = async <Body>(body: Promise<Body>, { signal }: CallOptions): Promise<Body> => {
    try {
      const read = await body;
      onAnswer?.(Date.now());
      return read;
    } catch (cause) {
      if (signal?.aborted !== true) onSilence?.();
      throw new Unreachable('the answer is not whole, or not the server’s', { cause });
    }
  };
  const read: Api['read'] = async (name, input, options) => {
    const response = await accepted(name, input, options);
    if (response.status === 304) {
      onAnswer?.(Date.now());
      return undefined;
    }
    const { data, meta } = await whole(response.text().then(answerOf), options);
    return { data, nextCursor: meta?.next_cursor ?? null, etag: response.headers.get('etag') };
  };
  return {
    read,
    async *lines(name, input, signal) {
      const { body } = await accepted(name, input, { signal });
      onAnswer?.(Date.now());
      if (body) yield* linesOf(body.getReader());
    },
    bytes: async (name, input, signal) => {
      const response = await accepted(name, input, { signal });
      return whole(response.blob(), { signal });
    },
    upload: async (name, field, file) => {
      const body = new FormData();
      body.append(field, file);
      const response = await accepted(name, { body }, {});
      return (await whole(response.text().then(answerOf), {})).data;
    },
    exists: (name, input) =>
      accepted(name, input, { method: 'HEAD' }).then(
        () => {
          onAnswer?.(Date.now());
          return true;
        },
        (error: unknown) => {
          if (error instanceof Refusal && error.status === 404) return false;
          throw error;
        },
      ),
    call: async (name, input) => {
      const answer = await read(name, input, {});
      if (!answer) throw new Unreachable('the server answers 304 to a request without a tag');
      return answer;
    },
  };
}

/** Splits a stream into its lines. A stream that breaks is as a server that does not answer. */
async function* linesOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new Unreachable('the stream broke', { cause });
    });
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

/** The address of a request: each `:name` of the path is filled, and absent query fields are left out. A list is joined by commas. */
export function addressOf(url: string, path: string, { params, query }: AnyInput): string {
  const values = fieldsOf(params);
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(textOf(values[name])));
  const fields = Object.entries(fieldsOf(query))
    .map(([key, value]) => [key, Array.isArray(value) ? value.map(textOf).join(',') : textOf(value)])
    .filter(([, text]) => text !== '');
  const search = new URLSearchParams(fields).toString();
  return `${url}${filled}${search === '' ? '' : `?${search}`}`;
}

/** The body of a refusal; a proxy's own page has none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Envelope {
  /** Of the type that the operation's name stands for: the caller names it. */
  readonly data: never;
  readonly meta?: { readonly next_cursor?: string | null };
}

const parse: (text: string) => Envelope | null = JSON.parse;

/**
 * The server answers by the document that the types come from.
 *
 * @throws SyntaxError where another machine has answered, such as a network that asks for a sign-in
 */
function answerOf(text: string): Envelope {
  const answer = parse(text);
  if (!(answer instanceof Object && 'data' in answer)) throw new SyntaxError('the answer has no data');
  return answer;
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

/** A value of an address or a sentence. */
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

function faultOf(value: unknown): { path: string; message: string } {
  const { path, message } = fieldsOf(value);
  return { path: textOf(path), message: textOf(message) };
}
