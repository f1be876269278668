import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { NoteError } from '../tlog/format/note.ts';
import { readLogs } from './settings.ts';
import type { Checkpoints } from './store.ts';
import { decide, type Verdict, type WitnessKey } from './witness.ts';

export interface WitnessDeps {
  readonly checkpoints: Checkpoints;
  readonly key: WitnessKey;
  /** The file that lists the logs. */
  readonly logs: string;
  /** Prints a line for the operator of the witness. */
  readonly say: (line: string) => void;
}

/** 63 lines of a proof have 3 KiB, and a checkpoint with ten signatures 2 KiB. */
const MAX_BODY_BYTES = 16_384;
const MAX_CONNECTIONS = 256;
const REQUEST_MS = 10_000;
/** The logs below an origin with `/*` can be many. */
const MAX_LOGS = 10_000;

/** Serves `POST /add-checkpoint` (c2sp.org/tlog-witness), and `GET /checkpoint/ORIGIN`: the newest signed one. */
export function serveWitness(deps: WitnessDeps): Server {
  let turn: Promise<unknown> = Promise.resolve();
  /** One checkpoint at a time is checked and stored: two at once could roll a log back. */
  const judgeInTurn = (body: string): Promise<Verdict> => {
    const judged = turn.then(() => judge(deps, body));
    turn = judged.catch(() => undefined);
    return judged;
  };
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    answer(deps, judgeInTurn, request, response).catch((error: unknown) => {
      deps.say(error instanceof Error ? error.message : String(error));
      send(response, 500, 'the witness cannot answer now');
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function answer(
  { checkpoints, say }: WitnessDeps,
  judgeInTurn: (body: string) => Promise<Verdict>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = request;
  const [, origin] = /^GET \/checkpoint\/([^?]+)$/.exec(`${method} ${url}`) ?? [];
  if (origin !== undefined) {
    const note = checkpoints.of(decoded(origin));
    return send(response, note === undefined ? 404 : 200, note ?? 'no checkpoint of this log was signed here');
  }
  if (method !== 'POST' || url !== '/add-checkpoint') return send(response, 404, 'there is POST /add-checkpoint');
  const body = await readBody(request);
  if (body === undefined) return send(response, 413, `a request has at most ${MAX_BODY_BYTES} bytes`);
  const verdict = await judgeInTurn(body);
  if (verdict.warning) say(verdict.warning);
  send(response, verdict.status, verdict.body, verdict.type);
}

async function judge({ checkpoints, key, logs }: WitnessDeps, body: string): Promise<Verdict> {
  const keysOf = await readLogs(logs);
  try {
    const verdict = decide(body, checkpoints.of, keysOf, key, new Date());
    if (!verdict.keep) return verdict;
    const { origin, note } = verdict.keep;
    if (checkpoints.of(origin) === undefined && checkpoints.count() >= MAX_LOGS)
      return { status: 403, body: 'this witness has too many logs', warning: `too many logs to sign ${origin}` };
    await checkpoints.keep(origin, note);
    return verdict;
  } catch (error) {
    if (error instanceof NoteError) return { status: 400, body: error.message };
    throw error;
  }
}

/** Undefined where it is too large. Bytes that are not UTF-8 become U+FFFD, which no part of a request may have. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const parts: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const part of parts) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString();
}

/** Blank for a text that is not percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  // The rest of a body that was too large is not read.
  const connection = status === 413 ? { connection: 'close' } : {};
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...connection }).end(body);
}
