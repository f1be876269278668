import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatAssetId } from '@tailgate/sync-protocol';
import * as tus from 'tus-js-client';
import { insertAssets, insertChunk } from '../../server/src/assets/sql.ts';
import { ChunkBuffer } from '../../server/src/assets/chunk-buffer.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { createPool } from '../../server/src/db/pool.ts';
import { withTransaction } from '../../server/src/db/transaction.ts';
import type { Db, Queryable } from '../../server/src/db/types.ts';
import { freshId } from '../../server/src/stops/mutation-id.ts';
import { insertEmployees, signUp } from '../support/people.ts';
import { RestClient } from '../support/rest-client.ts';
import type { Child } from './child.ts';
import { startChild, startTailgate } from './child.ts';
import { inParallel, photoForms, downloadFile, sendForm } from './file-load.ts';
import type { Deps } from './fixture.ts';
import { median, openDeps, quantile, quietLog } from './fixture.ts';
import type { Figure, Report } from './report.ts';

const PHOTOS = 20;
const PHOTO_BYTES = 300_000;
const AT_A_TIME = 8;
const BATCH_MB = (PHOTOS * PHOTO_BYTES) / 1e6;
/** A server that has just started compiles its code first. The drain measures that. */
const WARM_UP = 3;

/**
 * upload: twenty photos of 300 kB, one for each request, eight in parallel, until each is durable; then down again. The
 * same by tus with a stock client: a request for the start, one for all bytes. The report adds the simplest
 * implementations (a file without sync, one bytea for each file). Its raw limit is the same chunk and asset rows by SQL
 * alone over as many connections.
 */
export async function upload({ rounds }: { rounds: number }): Promise<Report> {
  const deps = await openDeps();
  const folder = await mkdtemp(join(tmpdir(), 'tailgate-files-'));
  const seed = await deps.database('files');
  await migrate(seed.url, quietLog);
  await seed.pool.query('create table b_file (id uuid primary key, data bytea not null)');
  const ours = await startTailgate(seed.url, folder);
  const baseline = await startChild('file-baseline-server.ts', { DATABASE_URL: seed.url, FILES: folder }, /^ready /m);
  const rawDb = createPool({ url: seed.url, name: 'bench', log: quietLog, size: 4, pipelined: true });
  try {
    const driver = await signedUp(seed.pool, ours.url);
    const sides: Side[] = [
      { name: 'raw limit (the same rows, SQL alone)', ...rawSide(rawDb) },
      { name: 'tailgate', child: ours, ...httpSide(`${ours.url}/api/v20/assets`, `${ours.url}/api/v20/assets/raw`) },
      { name: 'tailgate by tus, a stock client', child: ours, send: tusSide(`${ours.url}/api/sync/uploads`, driver) },
      { name: 'baseline: the tus library on disk, not synced', child: baseline, send: tusSide(`${baseline.url}/tus`) },
      { name: 'baseline: disk, not synced', child: baseline, ...httpSide(`${baseline.url}/disk`) },
      { name: 'baseline: one bytea a file', child: baseline, ...httpSide(`${baseline.url}/row`) },
    ];
    const measured = sides.map((side) => ({ side, up: newRun(), down: newRun() }));
    for (let round = 0; round < rounds * 4 + WARM_UP; round++) {
      const forms = photoForms(PHOTOS, PHOTO_BYTES);
      for (const { side, up, down } of measured) {
        const isWarm = round >= WARM_UP;
        const ids = await timed(deps, side, isWarm ? up : undefined, () => inParallel(AT_A_TIME, forms, side.send));
        const { read } = side;
        if (read) await timed(deps, side, isWarm ? down : undefined, () => inParallel(AT_A_TIME, ids, read));
      }
    }
    return report(measured);
  } finally {
    await rawDb.end();
    await ours.stop();
    await baseline.stop();
    await deps.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Side {
  readonly name: string;
  readonly child?: Child;
  readonly send: (form: Buffer) => Promise<string>;
  readonly read?: (id: string) => Promise<unknown>;
}

function httpSide(to: string, from = to): Pick<Side, 'send' | 'read'> {
  const agent = new Agent({ keepAlive: true });
  return { send: (form) => sendForm(to, agent, form), read: (id) => downloadFile(`${from}/${id}`, agent) };
}

async function signedUp(db: Queryable, url: string): Promise<Record<string, string>> {
  await insertEmployees(db, ['T001']);
  return { ...(await signUp(new RestClient(url), 'T001')) };
}

/** Photos by tus-js-client with its defaults. */
function tusSide(endpoint: string, headers: Record<string, string> = {}): Side['send'] {
  return (form) =>
    new Promise((resolve, reject) => {
      const sent = new tus.Upload(form.subarray(0, PHOTO_BYTES), {
        endpoint,
        headers,
        metadata: { filename: 'photo.jpg' },
        retryDelays: null,
        onError: reject,
        onSuccess: () => resolve(sent.url ?? ''),
      });
      sent.start();
    });
}

function rawSide(db: Db): Pick<Side, 'send'> {
  return {
    async send(form) {
      const bytes = form.subarray(0, PHOTO_BYTES);
      const content = freshId(new Date());
      const id = formatAssetId(randomBytes(10));
      const buffer = new ChunkBuffer(2 * PHOTO_BYTES);
      buffer.add(content, 0, bytes);
      const sha256 = createHash('sha256').update(bytes).digest();
      const file = {
        id,
        seq: 1,
        content,
        name: 'photo.jpg',
        mime: 'image/jpeg',
        size: bytes.length,
        sha256,
        object: null,
      };
      await withTransaction(db, (tx) =>
        Promise.all([
          ...buffer.chunks.map((chunk) => tx.query(insertChunk, [...chunk])),
          tx.query(insertAssets, [id, new Date(), ...insertAssets.parameters([file])]),
        ]),
      );
      return id;
    },
  };
}

/** For each batch: its milliseconds, and the CPU seconds of server and PostgreSQL. */
interface Run {
  readonly ms: number[];
  serverCpu: number;
  postgresCpu: number;
}
const newRun = (): Run => ({ ms: [], serverCpu: 0, postgresCpu: 0 });

async function timed<Result>(
  deps: Deps,
  { child }: Side,
  run: Run | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const server = (): number => child?.cpu() ?? 0;
  const [serverBefore, postgresBefore, start] = [server(), deps.postgresCpu(), performance.now()];
  const result = await work();
  if (run) {
    run.ms.push(performance.now() - start);
    run.serverCpu += server() - serverBefore;
    run.postgresCpu += deps.postgresCpu() - postgresBefore;
  }
  return result;
}

function report(measured: readonly { side: Side; up: Run; down: Run }[]): Report {
  const rate = ({ ms }: Run): number => (BATCH_MB / median(ms)) * 1000;
  const cpu = ({ serverCpu, postgresCpu }: Run): number => serverCpu + postgresCpu;
  const rows = measured.flatMap(({ side: { name }, up, down }): Figure[] => [
    figure(`${name}, up`, up, rate(up)),
    ...(down.ms.length > 0 ? [figure(`${name}, down`, down, rate(down))] : []),
  ]);
  const [raw, ours, stock, tusDisk, disk, row] = measured;
  if (!raw || !ours || !stock || !tusDisk || !disk || !row) throw new Error('six sides');
  return {
    title: `upload: ${PHOTOS} photos of ${PHOTO_BYTES / 1000} kB, ${AT_A_TIME} at a time (target: ≥ 100 MB/s into durable rows)`,
    figures: rows,
    ratios: {
      'of the raw limit, up': rate(ours.up) / rate(raw.up),
      'of ours in one request, by tus': rate(stock.up) / rate(ours.up),
      'times the CPU of the tus library on disk, by tus': cpu(stock.up) / cpu(tusDisk.up),
      'times the baseline on disk, up': rate(ours.up) / rate(disk.up),
      'times the baseline with one bytea a file, up': rate(ours.up) / rate(row.up),
      'times the baseline with one bytea a file, down': rate(ours.down) / rate(row.down),
    },
  };
}

const figure = (what: string, { ms, serverCpu, postgresCpu }: Run, rate: number): Figure => ({
  what,
  'MB/s (median)': Math.round(rate),
  'batch ms p50 / p99': `${median(ms).toFixed(0)} / ${quantile(ms, 0.99).toFixed(0)}`,
  'CPU ms a MB, server + PostgreSQL': [serverCpu, postgresCpu]
    .map((cpu) => ((cpu * 1000) / (ms.length * BATCH_MB)).toFixed(1))
    .join(' + '),
});
