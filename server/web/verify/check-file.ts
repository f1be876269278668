import { readElsewhere } from '../../verify/src/log/proof.ts';
import { readTrust } from '../../verify/src/log/trust.ts';
import { verifyPack, type Settings, type Verification } from '../../verify/src/verify-pack.ts';
import { webTools } from '../../verify/src/web-tools.ts';

/** The texts that a reader has from elsewhere; empty where there is none. */
export interface Elsewhere {
  readonly keys: string;
  readonly checkpoint: string;
}

/** Why there is no result. `old`: the browser lacks Ed25519. */
export type Refused = 'keys' | 'checkpoint' | 'large' | 'old' | 'unreadable';

/** WebCrypto hashes whole members: a larger pack is for `tailgate-verify`. */
const maxBytes = 256 * 1024 ** 2;

/** Checks a file in this browser. */
export async function checkFile(file: File, { keys, checkpoint }: Elsewhere): Promise<Verification | Refused> {
  if (file.size > maxBytes) return 'large';
  try {
    const trust = await readTrust(keys, webTools).catch((error: unknown) => {
      if (error instanceof DOMException) throw error;
      return undefined;
    });
    if (!trust) return 'keys';
    const elsewhere = checkpoint.trim() === '' ? undefined : readElsewhere(`${checkpoint.trim()}\n`);
    if (checkpoint.trim() !== '' && !elsewhere) return 'checkpoint';
    const settings: Settings = { trust, ...(elsewhere && { elsewhere }) };
    return await verifyPack(partsOf(file), webTools, settings);
  } catch (error) {
    return error instanceof DOMException && error.name === 'NotSupportedError' ? 'old' : 'unreadable';
  }
}

/** Not every browser walks through a stream by itself. */
async function* partsOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
