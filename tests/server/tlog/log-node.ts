import { atFileEnd } from '../../support/file-end.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { restChange } from '../../support/rest-change.ts';
import { startRestServer, type RestServer } from '../../support/rest-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openKeys } from '../../../server/src/tlog/keys.ts';
import { mountLog } from '../../../server/src/http/log/mount-log.ts';
import { NewestCheckpoints } from '../../../server/src/tlog/newest-checkpoints.ts';
import { Sequencer, type SequencerOptions } from '../../../server/src/tlog/sequencer.ts';
import type { Witness } from '../../../server/src/tlog/witness-client.ts';
import { Witnesses, type CosigningOutcome } from '../../../server/src/tlog/witnesses.ts';

/** A server with its log, and workers that append to it. */

export const key = { facility: 'F01', id: 'R100', week_end: '20261121' };
export const other = { facility: 'F02', id: 'R200', week_end: '20261121' };

export interface LogNode {
  readonly server: RestServer;
  readonly dataDir: string;
  /** A worker on this database, with these settings different. */
  readonly sequencer: (options?: WorkerOptions) => Promise<Sequencer>;
}

export async function startNode(): Promise<LogNode> {
  const server = await startRestServer({ access: 'strict', mount: async (app, { db }) => mountLog(app, { db }) });
  const dataDir = await temporaryFolder();
  for (const route of [key, other])
    await insertRoutes(server.database.pool, [
      { facility: route.facility, id: route.id, weekEnd: route.week_end, drivers: ['1001'], stops: [plan(1), plan(2)] },
    ]);
  return {
    server,
    dataDir,
    sequencer: async (options) => (await startWorker(server, { dataDir, ...options })).sequencer(),
  };
}

interface WorkerOptions extends Partial<Omit<SequencerOptions, 'witnesses' | 'newest'>> {
  readonly dataDir?: string;
}

export interface LogWorker {
  readonly sequencer: () => Sequencer;
  /** Appends everything that is committed now, as at a start. */
  readonly pass: () => Promise<void>;
  readonly witnesses: Witnesses;
  /** The outcome of each checkpoint, in order. */
  readonly outcomes: CosigningOutcome[];
}

/** The log's part of a worker; it appends where a test calls `pass`. Its witnesses end with the file. */
export async function startWorker(
  server: RestServer,
  { dataDir = '', cosigners = [], ...options }: WorkerOptions & { readonly cosigners?: readonly Witness[] },
): Promise<LogWorker> {
  const { listener, log } = server;
  const [db, newest, host] = [server.database.pool, await NewestCheckpoints.open(dataDir), 'pod.example.com'];
  const outcomes: CosigningOutcome[] = [];
  const watch = (outcome: CosigningOutcome) => void outcomes.push(outcome);
  const keys = await openKeys({ dataDir, logKeyFile: undefined });
  const witnesses = new Witnesses({ db, witnesses: cosigners, newest, keys, host, log, watch, retryMs: 20 });
  atFileEnd(() => witnesses.stop());
  await witnesses.start();
  const sequencer = () =>
    new Sequencer({ db, listener, keys, newest, witnesses, host, clock: () => new Date(), log, ...options });
  return { sequencer, pass: () => sequencer().pass(), witnesses, outcomes };
}

/** A driver's change of a stop. Equal ones of one driver and moment are one. */
export const record = ({ server }: LogNode, route = key, stop = 1, comments = `side door ${Math.random()}`) =>
  server.pipeline.submit(restChange(route, { id: stop, updates: { driver_comments: comments } }, '1001'));

interface Leaf {
  readonly generation: number;
  readonly kind: string;
  readonly source: string;
  readonly entry: string;
  readonly salt: Buffer | null;
}
export const leavesOf = async ({ server }: LogNode, facility = 'F01'): Promise<Leaf[]> => {
  const { rows } = await server.database.pool.query<Leaf>(
    `select f.generation, f.kind, f.source, f.entry, s.salt from log_leaf f left join log_salt s using (facility, generation, leaf_index)
      where f.facility = $1 order by f.generation, f.leaf_index`,
    [facility],
  );
  return rows;
};
export const parse: (entry: string) => Record<string, unknown> = JSON.parse;
