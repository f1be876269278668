import { hostText } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';
import { shortenName } from './file-name.ts';

/** What ACDTA holds at most. */
const pieceBytes = 16_000;
const longestName = 64;
const longestType = 50;

/** An asset as the mirror has it; a file that is awaited has no name, no bytes and no digest yet. */
export interface HostAsset {
  readonly id: string;
  readonly batch: string;
  readonly seq: number;
  readonly state: 'L' | 'R' | 'M';
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly sha256: Buffer | null;
}

/**
 * The header of an asset. `standing` is what the host holds of it: `L` until all chunks are there, whatever the mirror
 * says: other programs read what stands there.
 */
export function assetHeader(asset: HostAsset, standing: HostAsset['state']): ServicePart<'ASSHDP'> {
  return {
    AHID: asset.id,
    AHBAT: asset.batch,
    AHSEQ: `${asset.seq}`,
    AHNAM: hostName(asset.name),
    // Half a type is none: programs that go by it are told that they do not know.
    AHMIM: asset.mime.length <= longestType ? asset.mime : 'application/octet-stream',
    AHSIZ: `${asset.size}`,
    AHSHA: asset.sha256?.toString('hex') ?? '',
    AHCHKN: `${hostPieceCount(asset.size)}`,
    AHSTS: standing,
  };
}

/** The header of a file that a stop names and that nobody has seen yet. */
export function awaitedHeader(id: string): ServicePart<'ASSHDP'> {
  return assetHeader({ id, batch: id, seq: 1, state: 'L', name: '', mime: '', size: 0, sha256: null }, 'L');
}

/** A file's name in code page 37, cut to the column with its ending kept. */
const hostName = (name: string): string => shortenName(hostText(name, Number.POSITIVE_INFINITY).text, longestName);

/** How many rows of ASSCHP a file makes; none of an empty one. */
export const hostPieceCount = (size: number): number => Math.ceil(size / pieceBytes);

/** The rows of ASSCHP, from a file's bytes however they are cut; sequences from 1. */
export async function* assetPieces(
  id: string,
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<ServicePart<'ASSCHP'>, void, undefined> {
  let sequence = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= pieceBytes) {
      yield piece(id, ++sequence, rest.subarray(0, pieceBytes));
      rest = rest.subarray(pieceBytes);
    }
  }
  if (rest.length > 0) yield piece(id, ++sequence, rest);
}

const piece = (id: string, sequence: number, bytes: Buffer): ServicePart<'ASSCHP'> => ({
  ACID: id,
  ACSEQ: `${sequence}`,
  ACLEN: `${bytes.length}`,
  ACDTA: bytes,
});
