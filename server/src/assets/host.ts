import { hostText } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';
import { shortenName } from './file-name.ts';

/** The size of ACDTA. */
const pieceBytes = 16_000;
const longestName = 64;
const longestType = 50;

/** An asset in the mirror. An awaited file has no name, no bytes and no digest yet. */
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
 * The header of an asset. `state` is the host's present status: it stays `L` until all chunks are written, because
 * other programs read it.
 */
export function assetHeader(asset: HostAsset, state: HostAsset['state']): ServicePart<'ASSHDP'> {
  return {
    AHID: asset.id,
    AHBAT: asset.batch,
    AHSEQ: `${asset.seq}`,
    AHNAM: hostName(asset.name),
    // Host programs get the unknown type instead of a truncated one.
    AHMIM: asset.mime.length <= longestType ? asset.mime : 'application/octet-stream',
    AHSIZ: `${asset.size}`,
    AHSHA: asset.sha256?.toString('hex') ?? '',
    AHCHKN: `${hostPieceCount(asset.size)}`,
    AHSTS: state,
  };
}

/** The header of an awaited file. */
export function awaitedHeader(id: string): ServicePart<'ASSHDP'> {
  return assetHeader({ id, batch: id, seq: 1, state: 'L', name: '', mime: '', size: 0, sha256: null }, 'L');
}

/** A file's name in the host's characters, cut to the column, with its ending. */
const hostName = (name: string): string => shortenName(hostText(name, Number.POSITIVE_INFINITY).text, longestName);

/** The number of ASSCHP rows of a file; none for an empty one. */
export const hostPieceCount = (size: number): number => Math.ceil(size / pieceBytes);

/** The ASSCHP rows of a file, from its bytes in pieces of any size; sequences from 1. */
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
