import type { Db } from '../../db/types.ts';
import { ED25519, keyText } from '../../tlog/format/note.ts';
import { openKeys, rotateKey } from '../../tlog/keys.ts';
import { hostOf } from '../../tlog/log.ts';
import { listKeys } from '../../tlog/read-log.ts';

// `npm run ops -- log …`: the keys of the transparency log.

/** The settings that name the keys and the host of the logs. */
export interface KeyOptions {
  readonly keyFile: string;
  readonly publicUrl?: string | undefined;
}

/** Each key as an auditor needs it, and a line for a witness of all logs. @throws StartError where the first start has not made a key */
export async function logKeys(db: Db, { keyFile, publicUrl }: KeyOptions): Promise<string> {
  const readKeys = await openKeys({ dataDir: '', logKeyFile: keyFile });
  const [key] = await readKeys();
  const all = key && keyText({ name: `${hostOf(publicUrl)}/log/*`, algorithm: ED25519, key: key.public });
  const keys = await listKeys(db);
  return [
    `A line of WITNESS_LOGS for every log of this server, by the key that signs now (${keyFile}):`,
    all ?? '',
    '',
    keys.length === 0 ? 'No log has a leaf yet.' : 'Keys of each log, with the size from which they sign:',
    ...keys.map(({ key: text, from_size }) => `${text} ${from_size}`),
  ].join('\n');
}

export async function rotateLogKey({ keyFile: file }: KeyOptions): Promise<string> {
  const key = await rotateKey(file);
  return [
    `${file} has a new key in front: ${key.public.toString('base64')}`,
    'With the next fact of each log, the former key and the new one sign; then the new one signs alone.',
    'Copy the file to every worker, keep the former keys in it, and give auditors GET /log/keys.json.',
    'Witnesses need the new key before that: npm run ops -- log keys prints their line.',
  ].join('\n');
}
