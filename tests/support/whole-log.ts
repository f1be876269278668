import { NewestCheckpoints } from '../../server/src/tlog/newest-checkpoints.ts';
import { openKeys } from '../../server/src/tlog/keys.ts';
import { Sequencer } from '../../server/src/tlog/sequencer.ts';
import type { Db } from '../../server/src/db/types.ts';
import { recordedLog } from './recorded-log.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A worker of the log that listens to nothing: each call appends all facts of the database, and signs. */
export async function logOf(db: Db): Promise<() => Promise<void>> {
  const dataDir = await temporaryFolder();
  const sequencer = async () =>
    new Sequencer({
      db,
      listener: { onNotify: () => Promise.resolve(), onReconnect: () => undefined },
      keys: await openKeys({ dataDir, logKeyFile: undefined }),
      newest: await NewestCheckpoints.open(dataDir),
      host: 'pod.example.com',
      clock: () => new Date(),
      log: recordedLog(),
    });
  return async () => (await sequencer()).pass();
}
