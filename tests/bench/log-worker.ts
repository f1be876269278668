/** A worker that runs the transparency log and nothing else: its cost beside a server of drivers. */
import { createPool } from '../../server/src/db/pool.ts';
import { startListener } from '../../server/src/db/listen.ts';
import { startLog } from '../../server/src/tlog/start-log.ts';
import { quietLog } from './fixture.ts';

const { DATABASE_URL: url = '', DATA_DIR: dataDir = '' } = process.env;
const db = createPool({ url, name: 'bench log', log: quietLog, size: 4, pipelined: true });
const listener = await startListener({ url, log: quietLog });
const config = { dataDir, logKeyFile: undefined, publicUrl: undefined, witnesses: [] };
const running = await startLog({
  config,
  db,
  listener,
  log: quietLog,
  clock: () => new Date(),
  // Drivers' changes come to another process.
  pipeline: { isBusy: false, whenCalm: () => Promise.resolve() },
  watch: () => undefined,
});
process.once('SIGTERM', () => {
  void running
    .stop()
    .then(() => listener.stop())
    .then(() => db.end());
});
console.log('ready');
