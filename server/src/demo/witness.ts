import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Config } from '../config.ts';
import type { Log } from '../runtime/log.ts';
import { ED25519, keyText } from '../tlog/format/note.ts';
import { openKeys } from '../tlog/keys.ts';
import { hostOf } from '../tlog/log.ts';

export interface DemoWitness {
  /** Its entry of WITNESSES. */
  readonly setting: Config['witnesses'][number];
  readonly stop: () => Promise<void>;
}

const program = join(import.meta.dirname, '../../bin/witness.ts');

/**
 * Runs a witness beside a demo, in a process of its own with a key and a folder of its own, so that the packs of a demo show
 * one. It is below DATA_DIR, because a demo that begins anew has another key. A demo without it goes on: undefined.
 */
export async function startDemoWitness(
  { dataDir, logKeyFile, publicUrl }: Pick<Config, 'dataDir' | 'logKeyFile' | 'publicUrl'>,
  log: Log,
): Promise<DemoWitness | undefined> {
  const folder = join(dataDir, 'witness');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const keys = await (await openKeys({ dataDir, logKeyFile }))();
  const name = `${hostOf(publicUrl)}/log/*`;
  const lines = keys.map((key) => keyText({ name, algorithm: ED25519, key: key.public }));
  await writeFile(join(folder, 'logs.txt'), `${lines.join('\n')}\n`);
  const env = {
    WITNESS_NAME: 'witness-of-the-demo',
    WITNESS_LOGS: join(folder, 'logs.txt'),
    WITNESS_DIR: folder,
    WITNESS_PORT: '0',
  };
  // By the channel it notices the end of this process, in any way.
  const child = spawn(process.execPath, ['--conditions=source', program], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'close');
  if (!child.stdout) throw new Error('the output of the witness is a pipe');
  let setting: DemoWitness['setting'] | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, key, url] = /WITNESSES=([^@]+)@(http\S+)/.exec(line) ?? [];
    if (key !== undefined && url !== undefined) setting = { key, url };
    if (setting) break;
  }
  if (!setting) {
    log.warn({}, 'the witness of the demo did not start: its packs have no outside witness');
    return undefined;
  }
  // For those who check a pack of the demo.
  await writeFile(join(folder, 'key.txt'), `witness demo ${setting.key}\n`);
  return {
    setting,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
