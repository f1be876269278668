import type { ServerFrame } from '@tailgate/sync-protocol';
import fastify from 'fastify';
import { openPipeline } from '../../mutations/intake/pipeline.ts';
import { clock, nothing, phones, rules, sessions, stubDb, silentLog, wakeups, type Phone } from './stub-db.ts';
import { mountSync, syncPath } from '../socket.ts';

/** After these turns the engine has compiled the path of a change. Twice as many gain nothing (docs/performance.md). */
const TURNS = 8;

/**
 * Simulates a storm of phones before the first real one connects: sockets, hello, readings, rules and pipeline. A fleet
 * reconnects as soon as a server has started, and code on its first run takes half as long again. A stub replaces the
 * database, so nothing is stored. The sockets are real, on a random loopback port. It ends early where the server is
 * stopping.
 *
 * @returns the number of applied changes; fewer than all mean that the warm-up took another path than real phones
 */
export async function warmUp(stopping?: AbortSignal): Promise<number> {
  const db = stubDb();
  const http = fastify();
  const pipeline = openPipeline({ db, wakeups, rules, clock, log: silentLog });
  try {
    const listener = { onNotify: nothing, onReconnect: () => undefined };
    await mountSync(http, { db, pipeline, listener, sessions, clock, log: silentLog });
    const url = (await http.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws') + syncPath;
    const simulatedPhones = phones();
    let applied = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      if (stopping?.aborted) break;
      const counts = await Promise.all(simulatedPhones.map((phone) => replay(url, phone)));
      applied = counts.reduce((sum, count) => sum + count, applied);
    }
    return applied;
  } finally {
    await http.close();
    await pipeline.close();
  }
}

/** One phone connects, sends its hello and its queue, and closes after the last answer. */
function replay(url: string, { hello, push }: Phone): Promise<number> {
  const socket = new WebSocket(url);
  return new Promise<number>((resolve, reject) => {
    socket.onopen = () => socket.send(hello);
    socket.onerror = () => reject(new Error('a socket of the warm-up broke'));
    socket.onclose = () => reject(new Error('the warm-up ended early'));
    socket.onmessage = ({ data }) => {
      const frame = readFrame(String(data));
      if (frame.type === 'welcome') socket.send(push);
      else if (frame.type === 'ack') resolve(frame.results.filter(({ result }) => result === 'applied').length);
      else reject(new Error(`the warm-up received ${frame.type}`));
    };
  }).finally(() => socket.close());
}

/** Frames of this server. */
const readFrame: (text: string) => ServerFrame = JSON.parse;
