import type { AckFrame, AssignedRoute, Cursor, PushBody, ServerFrameInput } from '@tailgate/sync-protocol';
import { currentProtocol, errorCodes, pullCursors, pushBody } from '@tailgate/sync-protocol';
import { type Answer, refusal } from './scripted-auth.ts';
import type { Hello, ScriptedOptions, ScriptedRequest } from './scripted-connections.ts';

type Push = Pick<PushBody, 'mutations' | 'gone'>;

/** The server's functions that the exchange over plain HTTP uses. */
export interface ExchangeDesk {
  readonly epoch: number;
  /** The routes of a client with a token. */
  readonly routes: readonly AssignedRoute[];
  /** The code that rejects this queue, if any; `first` where nothing is pushed, as in a hello. */
  fault(hello: Hello, first: boolean): string | undefined;
  /** The content of `welcome` for the queue, without its routes. */
  greeting(hello: Hello): object;
  push(hello: Hello, push: Push): { readonly code: string } | Promise<Omit<AckFrame, 'type'>>;
  /** The frames that answer a subscription. */
  poll(hello: Hello, cursors: Readonly<Record<string, Cursor | null>>): ServerFrameInput[];
}

/** `POST /api/sync/push` and `GET /api/sync/pull`, by docs/protocol.md: no state remains between two requests. */
export async function answerExchange(
  { url: { pathname, searchParams }, headers, body }: ScriptedRequest,
  engine: ExchangeDesk,
): Promise<Answer> {
  if (pathname.endsWith('/push')) {
    const parsed = pushBody.safeParse(jsonOf(body));
    return parsed.success ? answerPush(headers, parsed.data, engine) : refusal(400, 'VALIDATION_FAILED');
  }
  const cursors = pullCursors.safeParse(JSON.parse(searchParams.get('cursors') ?? '{}'));
  if (!cursors.success) return refusal(400, 'VALIDATION_FAILED');
  const hello = helloOf(headers, { client_id: searchParams.get('client_id') ?? '' });
  const code = engine.fault(hello, false);
  if (code !== undefined) return refused(code);
  const routes = hello.api_token === undefined ? [] : engine.routes;
  const frames = engine.poll(hello, cursors.data);
  return { status: 200, body: { server_time: new Date().toISOString(), epoch: String(engine.epoch), routes, frames } };
}

async function answerPush(
  headers: ScriptedRequest['headers'],
  { mutations, gone, ...who }: PushBody,
  engine: ExchangeDesk,
): Promise<Answer> {
  const hello = helloOf(headers, who);
  const code = engine.fault(hello, mutations.length === 0 && gone === undefined);
  if (code !== undefined) return refused(code);
  const greeting = engine.greeting(hello);
  const answer = await engine.push(hello, { mutations, gone });
  return 'code' in answer ? refused(answer.code) : { status: 200, body: { ...greeting, ...answer } };
}

/** The content of `welcome` without its routes. @param key a queue key, where the client requested one */
export const welcomeOf = (epoch: number, last_seq: number, key: string | undefined, options: ScriptedOptions) => ({
  protocol: currentProtocol,
  server_time: new Date().toISOString(),
  epoch: String(epoch),
  last_seq,
  ...(key !== undefined && { queue_key: key }),
  limits: {
    frame_bytes: 1_048_576,
    mutations_per_push: options.mutationsPerPush ?? 50,
    pushes_in_flight: options.pushesInFlight ?? 4,
    ping_ms: 20_000,
  },
  features: ['http'],
});

/** The hello that a socket client would have sent. */
export function helloOf(
  headers: ScriptedRequest['headers'],
  { clock, ...who }: Partial<Omit<PushBody, 'mutations' | 'gone'>>,
): Hello {
  const { employee_id, api_token, queue_key } = headers;
  return {
    ...{ protocol: currentProtocol, client_id: '', device: '', sdk: '', app: '', cursors: {} },
    ...{ pending: 0, oldest_pending_at: null },
    ...who,
    type: 'hello',
    clock: clock ?? { now: new Date().toISOString(), boot_id: '', monotonic_ms: 0 },
    employee_id: String(employee_id),
    ...(api_token !== undefined && { api_token }),
    ...(queue_key !== undefined && { queue_key }),
  };
}

/** The JSON of a request's body; undefined for an empty one. */
export const jsonOf = (body: Uint8Array): unknown =>
  body.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(body));

/** Unknown codes count as temporary, as in `reject`. */
const refused = (code: string): Answer => refusal(isKnown(code) ? errorCodes[code].status : 503, code);

const isKnown = (code: string): code is keyof typeof errorCodes => Object.hasOwn(errorCodes, code);
