import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../server/src/db/migrate.ts';
import type { Child } from './child.ts';
import { startTailgate } from './child.ts';
import { makeFleet, type Phone } from './fleet.ts';
import { openDeps, quantile, quietLog } from './fixture.ts';
import { drainPhone } from './phone-link.ts';
import type { Report } from './report.ts';
import { benchRoute } from './workload.ts';

const READERS = 100;
/** Between two commits. It is no multiple of the feed's period, so commits fall anywhere in it. */
const EVERY_MS = 130;

/** feed: changes of a route each, with 100 open streams of `GET /api/ops/feed`, and without any. */
export async function feed({ rounds, mutations = 100 }: { rounds: number; mutations?: number }): Promise<Report> {
  const deps = await openDeps();
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  try {
    const database = await deps.database('feed');
    await migrate(database.url, quietLog);
    const phones = await makeFleet(database.pool, { phones: 2 * rounds * mutations, mutations: 1, stops: 1, lines: 1 });
    const child = await startTailgate(database.url, dataDir);
    try {
      const token = (await readFile(join(dataDir, 'ops-token'), 'utf8')).trim();
      const routes = phones.map((phone, n) => ({ phone, id: benchRoute(n).id }));
      const [alone, followed] = [routes.slice(0, rounds * mutations), routes.slice(rounds * mutations)];
      const cpu = () => child.cpu() + deps.postgresCpu();
      const cost = async (work: () => Promise<void>): Promise<number> => {
        const before = cpu();
        await work();
        return ((cpu() - before) * 1_000) / alone.length;
      };
      const without = await cost(() => commitAll(child, alone, () => undefined));
      const readers = await Promise.all(Array.from({ length: READERS }, () => openStream(child, token)));
      const sent = new Map<string, number>();
      const visible: number[] = [];
      const all = Promise.withResolvers<void>();
      for (const reader of readers)
        reader.onRoute = (id) => {
          const at = sent.get(id);
          if (at === undefined) return;
          visible.push(performance.now() - at);
          if (visible.length === READERS * followed.length) all.resolve();
        };
      const withReaders = await cost(async () => {
        await commitAll(child, followed, (id) => void sent.set(id, performance.now()));
        await all.promise;
      });
      for (const reader of readers) reader.end();
      const [p50, p99] = [quantile(visible, 0.5), quantile(visible, 0.99)];
      return {
        title: `feed: ${followed.length} commits`,
        figures: [
          { readers: 0, 'CPU ms a commit': without.toFixed(1) },
          {
            readers: READERS,
            'CPU ms a commit': withReaders.toFixed(1),
            'visible ms p50': p50.toFixed(0),
            'visible ms p99': p99.toFixed(0),
          },
        ],
        ratios: { 'p99 to its limit of 2 s': p99 / 2_000 },
      };
    } finally {
      await child.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
    await deps.close();
  }
}

interface Writer {
  readonly phone: Phone;
  readonly id: string;
}

/** One change of each phone, at a steady pace. */
async function commitAll(child: Child, writers: readonly Writer[], sending: (id: string) => void): Promise<void> {
  for (const { phone, id } of writers) {
    const next = pause(EVERY_MS);
    sending(id);
    await drainPhone(child, phone);
    await next;
  }
}

interface Stream {
  onRoute: (route: string) => void;
  readonly end: () => void;
}

/** Resolves with the first line. */
function openStream({ port }: Child, token: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request({ port, path: '/api/ops/feed', headers, agent: false }, (response) => {
      const stream: Stream = { onRoute: () => undefined, end: () => void asked.destroy() };
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const route = /"route_id":"([^"]+)"/.exec(line)?.[1];
          if (route !== undefined) stream.onRoute(route);
        }
        resolve(stream);
      });
    });
    asked.once('error', reject);
    asked.end();
  });
}
