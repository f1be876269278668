import { assetIdBytes, assetIdText, formatAssetId } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';

const saltBytes = 16;

/** A random secret: ids are computed from it and the bytes. */
export function newSalt(random: Environment['random']): string {
  return hexOf(random.bytes(saltBytes));
}

/** The id of a file on this device, from the values that it commits to (docs/protocol.md, Files). */
export async function computeAssetId(
  content: { readonly salt: string; readonly length: number; readonly sha256: string },
  sha256OfText: Environment['sha256'],
): Promise<string> {
  const digest = await sha256OfText(assetIdText(content));
  return formatAssetId(digest.slice(0, assetIdBytes));
}

/** Lower-case hexadecimal. */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
