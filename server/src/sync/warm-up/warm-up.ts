import type { ServerFrame } from '@tailgate/sync-protocol';
import fastify from 'fastify';
import { openPipeline } from '../../mutations/intake/pipeline.ts';
import { clock, nothing, phones, rules, sessions, stubDb, unheard, wakeups, type Phone } from './stub-db.ts';
import { mountSync, syncPath } from '../socket.ts';

/** By then the engine has compiled what a change passes through; twice as many gain nothing (docs/performance.md). */
const TURNS = 8;

/**
 * Plays a storm of phones before the first real one comes, from the sockets through hello, reading, rules and pipeline:
 * a fleet comes back at the very moment at which a server has just started, and code that has never run takes half as
 * long again. A stage stands where the database does, so that nothing is read or written; the sockets are real, on a
 * port of this machine that nobody knows. Gives up where the server is to stop.
 *
 * @returns how many changes were applied: all of them, or it was no rehearsal of what follows
 */
export async function warmUp(stopping?: AbortSignal): Promise<number> {
  const db = stubDb();
  const http = fastify();
  const pipeline = openPipeline({ db, wakeups, rules, clock, log: unheard });
  try {
    const listener = { onNotify: nothing, onReconnect: () => undefined };
    await mountSync(http, { db, pipeline, listener, sessions, clock, log: unheard });
    const url = (await http.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws') + syncPath;
    const simulatedPhones = phones();
    let applied = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      if (stopping?.aborted) break;
      const played = await Promise.all(simulatedPhones.map((phone) => play(url, phone)));
      applied = played.reduce((sum, count) => sum + count, applied);
    }
    return applied;
  } finally {
    await http.close();
    await pipeline.close();
  }
}

/** One phone comes, says hello, sends its queue and goes when all of it is answered. */
function play(url: string, { hello, push }: Phone): Promise<number> {
  const socket = new WebSocket(url);
  return new Promise<number>((resolve, reject) => {
    socket.onopen = () => socket.send(hello);
    socket.onerror = () => reject(new Error('a socket of the rehearsal broke'));
    socket.onclose = () => reject(new Error('the rehearsal was left before its end'));
    socket.onmessage = ({ data }) => {
      const frame = readFrame(String(data));
      if (frame.type === 'welcome') socket.send(push);
      else if (frame.type === 'ack') resolve(frame.results.filter(({ result }) => result === 'applied').length);
      else reject(new Error(`the rehearsal got ${frame.type}`));
    };
  }).finally(() => socket.close());
}

/** Our own server's frames. */
const readFrame: (text: string) => ServerFrame = JSON.parse;
