import { readCertificate } from '../cms/certificate.ts';
import type { Tools } from '../tools.ts';
import { exactBase64 } from './bytes.ts';
import { ofLog, ofWitness, readKey, type NoteKey } from './note.ts';

/** Keys that the reader of a pack has from elsewhere. */
export interface Trust {
  readonly logs: readonly NoteKey[];
  readonly witnesses: readonly NoteKey[];
  /** Certificates (X.509, DER). */
  readonly certificates: readonly Uint8Array[];
}

export const noTrust: Trust = { logs: [], witnesses: [], certificates: [] };

const pem = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g;

/**
 * Reads a key, the `log` and `witness` lines of a policy (c2sp.org/tlog-policy), and certificates as PEM. One witness of
 * them is enough.
 *
 * @throws Error that names the line
 */
export async function readTrust(text: string, tools: Tools): Promise<Trust> {
  const keys: NoteKey[] = [];
  const certificates = [...text.matchAll(pem)].map(([, encoded = '']) => {
    const der = exactBase64(encoded.replaceAll(/\s/g, ''));
    if (!der || !readCertificate(der)) throw new Error('a certificate of the trusted ones cannot be read');
    return der;
  });
  for (const line of text
    .replaceAll(pem, '')
    .split('\n')
    .map((each) => each.trim())) {
    if (line === '' || line.startsWith('#') || line === 'quorum none' || line === 'quorum any') continue;
    const key = await readKey(/^(?:log |witness \S+ )?(\S+)(?: https?:\S+)?$/.exec(line)?.[1] ?? '', tools);
    if (!key) throw new Error(`expected a key (name+hash+base64), "log KEY" or "witness NAME KEY", not "${line}"`);
    keys.push(key);
  }
  return {
    logs: keys.filter(({ algorithm }) => algorithm === ofLog),
    witnesses: keys.filter(({ algorithm }) => algorithm === ofWitness),
    certificates,
  };
}

export const bothTrusts = (one: Trust, other: Trust): Trust => ({
  logs: [...one.logs, ...other.logs],
  witnesses: [...one.witnesses, ...other.witnesses],
  certificates: [...one.certificates, ...other.certificates],
});
