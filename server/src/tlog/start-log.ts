import type { Config } from '../config.ts';
import { openKeys } from './keys.ts';
import { NewestCheckpoints } from './newest-checkpoints.ts';
import { Sequencer, type SequencerOptions } from './sequencer.ts';

/** The log's part of the composition. */
export interface StartLog extends Pick<SequencerOptions, 'db' | 'listener' | 'clock' | 'log'> {
  readonly config: Pick<Config, 'dataDir' | 'logKeyFile' | 'publicUrl'>;
}

/** The host in origins of a server without PUBLIC_URL. */
const LOCAL = 'localhost';

/** Runs the sequencer: on every worker, of which one at a time appends to a log. @throws StartError for a wrong key */
export async function startLog({ config, ...deps }: StartLog): Promise<Sequencer> {
  const { dataDir, publicUrl } = config;
  const sequencer = new Sequencer({
    ...deps,
    keys: await openKeys(config),
    newest: await NewestCheckpoints.open(dataDir),
    host: publicUrl === undefined ? LOCAL : new URL(publicUrl).host,
  });
  await sequencer.start();
  return sequencer;
}
