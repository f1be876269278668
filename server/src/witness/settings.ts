import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StartError } from '../runtime/start-error.ts';
import { ED25519, NoteError, parseKey, type NoteKey } from '../tlog/format/note.ts';
import type { FindKeys } from './witness.ts';

export const witnessHelp = `npm run witness    cosigns checkpoints of transparency logs (docs/evidence.md)

  WITNESS_NAME  Name of its key, such as witness.example.org/w1; it never changes
  WITNESS_LOGS  File with the keys of the logs, one a line: ORIGIN+HASH+KEY; ORIGIN/* is for all below it
  WITNESS_DIR   Folder of the key and of the checkpoints (.witness); one process uses it
  WITNESS_HOST  Address to listen on (127.0.0.1)
  WITNESS_PORT  TCP port (3010); 0 chooses a free one`;

/** None has the name of a setting of the server: both can run in one environment. @throws StartError */
export function readWitnessSettings(env: NodeJS.ProcessEnv, cwd = process.cwd()) {
  const { WITNESS_NAME: name = '', WITNESS_LOGS: logs, WITNESS_DIR: folder = '.witness' } = env;
  const { WITNESS_HOST: host = '127.0.0.1', WITNESS_PORT: port = '3010' } = env;
  if (!/^[!-*,-~]+$/.test(name))
    throw new StartError(`WITNESS_NAME: expected printable characters without spaces and plus, got "${name}"`);
  if (!logs) throw new StartError('WITNESS_LOGS: expected a file with the keys of the logs');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new StartError(`WITNESS_PORT: expected a whole number from 0 to 65535, got "${port}"`);
  return { name, folder: resolve(cwd, folder), logs: resolve(cwd, logs), host, port: Number(port) };
}

/** Reads the list of logs. Each request reads it, so that a new key needs no restart. @throws StartError */
export async function readLogs(file: string): Promise<FindKeys> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new StartError(`WITNESS_LOGS: ${file} cannot be read: ${cause.message}`, { cause });
  });
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const keys = lines.flatMap((line, at) =>
    line === '' ? [] : [keyIn(line, `WITNESS_LOGS: line ${at + 1} of ${file}`)],
  );
  return (origin) => {
    const own = keys.filter(
      ({ name }) => name === origin || (name.endsWith('/*') && origin.startsWith(name.slice(0, -1))),
    );
    return own.length === 0 ? undefined : own.map((key) => ({ ...key, name: origin }));
  };
}

function keyIn(line: string, where: string): NoteKey {
  try {
    const key = parseKey(line);
    if (key.algorithm === ED25519) return key;
    throw new NoteError('expected the key of a log, not of a witness');
  } catch (cause) {
    throw new StartError(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
