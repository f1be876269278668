import { createPrivateKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keepOnce } from '../runtime/kept-secret.ts';
import { StartError } from '../runtime/start-error.ts';
import { publicBytes } from './format/note.ts';

/** A private key that signs checkpoints, and its public half. */
export interface LogKey {
  readonly private: KeyObject;
  readonly public: Buffer;
}

/** The keys of this server, the newest first. The newest one signs; an earlier one signs the change to it. */
export type ReadKeys = () => Promise<readonly LogKey[]>;

/** The settings that name the file of the keys. */
interface KeySettings {
  readonly dataDir: string;
  readonly logKeyFile: string | undefined;
}

export const keyFileIn = ({ dataDir, logKeyFile }: KeySettings): string =>
  logKeyFile ?? join(dataDir, 'keys', 'log.pem');

const pem = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/g;

/** @throws StartError that names the setting */
function parseKeys(text: string): LogKey[] {
  try {
    const keys = (text.match(pem) ?? []).map((one) => createPrivateKey(one));
    if (keys.length > 0) return keys.map((key) => ({ private: key, public: publicBytes(key) }));
  } catch (cause) {
    throw new StartError('LOG_KEY_FILE: expected Ed25519 keys as PEM (openssl genpkey -algorithm ed25519)', { cause });
  }
  throw new StartError('LOG_KEY_FILE: the file has no private key as PEM');
}

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

/**
 * The keys in a file, which each reading reads again: a rotation needs no restart. Without LOG_KEY_FILE the first start
 * makes a key under DATA_DIR with mode 600.
 */
export async function openKeys(settings: KeySettings): Promise<ReadKeys> {
  const file = keyFileIn(settings);
  if (settings.logKeyFile === undefined) {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await keepOnce(file, newKey());
  }
  const read: ReadKeys = async () => parseKeys(await readFile(file, 'utf8'));
  await read().catch((cause: unknown) => {
    if (cause instanceof StartError) throw cause;
    throw new StartError(`LOG_KEY_FILE: ${file} cannot be read`, { cause });
  });
  return read;
}

async function writeDraft(file: string, text: string): Promise<string> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  return draft;
}

/** Puts a new key in front of the keys in a file. The earlier ones stay: the last of them signs the change. */
export async function rotateKey(file: string): Promise<LogKey> {
  const before = await readFile(file, 'utf8');
  parseKeys(before);
  const text = newKey();
  await rename(await writeDraft(file, `${text}${before}`), file);
  const [key] = parseKeys(text);
  if (!key) throw new StartError('the new key cannot be read');
  return key;
}
