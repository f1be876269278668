import type { Config } from '../config.ts';
import { GiveWay, type DriversLoad } from '../runtime/give-way.ts';
import { openKeys } from './keys.ts';
import { hostOf } from './log.ts';
import { NewestCheckpoints } from './newest-checkpoints.ts';
import { Sequencer, type SequencerOptions } from './sequencer.ts';
import { parseWitness } from './witness-client.ts';
import { Witnesses, type CosigningOutcome } from './witnesses.ts';

/** The log's part of the composition. */
export interface StartLog extends Pick<SequencerOptions, 'db' | 'listener' | 'clock' | 'log'> {
  readonly config: Pick<Config, 'dataDir' | 'logKeyFile' | 'publicUrl' | 'witnesses'>;
  /** Drivers' changes that this process takes. */
  readonly pipeline: DriversLoad;
  readonly watch: (outcome: CosigningOutcome) => void;
}

/** The running log. */
export interface RunningLog {
  /** Appends everything that is committed now. */
  readonly append: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Runs the sequencer: on every worker, of which one at a time appends to a log. @throws StartError for a wrong key */
export async function startLog({ config, watch, pipeline, ...deps }: StartLog): Promise<RunningLog> {
  const { dataDir, publicUrl } = config;
  const { db, log } = deps;
  const host = hostOf(publicUrl);
  const newest = await NewestCheckpoints.open(dataDir);
  const keys = await openKeys(config);
  const cosigners = config.witnesses.map(parseWitness);
  const witnesses = new Witnesses({ db, log, watch, newest, keys, host, witnesses: cosigners });
  const way = new GiveWay({ pipeline });
  const giveWay = () => way.turn();
  const sequencer = new Sequencer({ ...deps, keys, newest, witnesses, host, giveWay });
  await witnesses.start();
  await sequencer.start();
  return {
    append: () => sequencer.pass(),
    stop: async () => {
      await sequencer.stop();
      await witnesses.stop();
    },
  };
}
