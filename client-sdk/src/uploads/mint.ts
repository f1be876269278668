import { assetIdBytes, assetIdText, spellAssetId } from '@tailgate/sync-protocol';
import type { Environment } from '../environment.ts';

const saltBytes = 16;

/** What nobody else can guess: from it and the bytes, ids are made. */
export function newSalt(random: Environment['random']): string {
  return hexOf(random.bytes(saltBytes));
}

/** The id that bytes have on this device, and what it commits to (docs/protocol.md, Files). */
export async function mint(
  bytes: Uint8Array<ArrayBuffer>,
  salt: string,
  sha256OfText: Environment['sha256'],
): Promise<{ id: string; sha256: string }> {
  const sha256 = hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  const digest = await sha256OfText(assetIdText({ salt, length: bytes.length, sha256 }));
  return { id: spellAssetId(digest.slice(0, assetIdBytes)), sha256 };
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
