import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from '../../../runtime/start-error.ts';
import { keepOnce } from '../../../runtime/kept-secret.ts';
import { selfMade } from './self-made.ts';

/** The key that signs documents and packs, and its certificates: its own first, then those up to its authority. */
export interface SealKey {
  readonly key: KeyObject;
  readonly certificates: readonly Uint8Array[];
}

export type ReadSealKey = () => Promise<SealKey>;

interface SealSettings {
  readonly dataDir: string;
  readonly sealKeyFile: string | undefined;
  /** The host of the server, for the certificate that it makes itself. */
  readonly host: string;
}

const blocks = /-----BEGIN (PRIVATE KEY|CERTIFICATE)-----[^-]+-----END \1-----/g;
const expected = 'expected one RSA key of 2048 bits or more and its certificate as PEM, the authorities behind it';

/** @throws StartError that names the setting */
function parseSealKey(text: string): SealKey {
  try {
    const found = [...text.matchAll(blocks)];
    const keys = found.flatMap(([pem, kind]) => (kind === 'PRIVATE KEY' ? [createPrivateKey(pem)] : []));
    const certificates = found.flatMap(([pem, kind]) => (kind === 'CERTIFICATE' ? [new X509Certificate(pem)] : []));
    const [key] = keys;
    const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0;
    if (key && keys.length === 1 && bits >= 2048 && certificates[0]?.checkPrivateKey(key) === true)
      return { key, certificates: certificates.map(({ raw }) => new Uint8Array(raw)) };
  } catch (cause) {
    throw new StartError(`SEAL_KEY_FILE: ${expected}`, { cause });
  }
  throw new StartError(`SEAL_KEY_FILE: ${expected}`);
}

/**
 * The key of a file, which each reading reads again: a new certificate needs no restart. Without SEAL_KEY_FILE the first
 * pack makes a key and a certificate under DATA_DIR with mode 600.
 */
export async function openSealKey({ dataDir, sealKeyFile, host }: SealSettings): Promise<ReadSealKey> {
  if (sealKeyFile === undefined) {
    const file = join(dataDir, 'keys', 'seal.pem');
    return async () => {
      const kept = await readFile(file, 'utf8').catch(() => undefined);
      if (kept !== undefined) return parseSealKey(kept);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      return parseSealKey((await keepOnce(file, await selfMade(host, new Date()))).text);
    };
  }
  const read: ReadSealKey = async () => parseSealKey(await readFile(sealKeyFile, 'utf8'));
  await read().catch((cause: unknown) => {
    if (cause instanceof StartError) throw cause;
    throw new StartError(`SEAL_KEY_FILE: ${sealKeyFile} cannot be read`, { cause });
  });
  return read;
}
