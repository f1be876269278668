import { assetHeader, assetPieces, hostPieceCount, type HostAsset } from '../../../assets/host.ts';
import { fileReader } from '../../../assets/file-bytes.ts';
import { HostError, onFile } from '../../../host/host.ts';
import { countRows, putRows } from '../../../host/files/statements.ts';
import { hostFiles, type ServicePart } from '../../../host/files/tables.ts';
import { namesOf, cachedByCount, putAll, stampAt, writeOwn } from '../host-writes.ts';
import type { PendingRow, RowFile, RowDeps, RowOutcome, RowPass } from './row-file.ts';
import { loadAssets, recountClosedRoutes, confirmAssets } from './sql.ts';

interface AssetRow extends HostAsset {
  readonly version: number;
  readonly content: string | null;
  readonly object: string | null;
  readonly zone: string;
}

interface PendingAsset extends PendingRow {
  readonly asset: AssetRow;
}

/** Bytes a transaction (256 kB): the host's log and locks stay small, and a stop's rows get in between. */
const PIECES_A_TRANSACTION = 16;

/**
 * ASSHDP and ASSCHP. The header has L, then the chunks come, then R: a host program that finds R finds every chunk.
 * Bytes never change under an id, so the file continues after a crash.
 */
export function assetFile({ db, store, host, owner, clock }: RowDeps): RowFile<PendingAsset> {
  const { ASSHDP, ASSCHP } = hostFiles;
  const readFile = fileReader(db, store);
  const putHeader = cachedByCount((count) => putRows(host, 'ASSHDP', namesOf(ASSHDP.service), count));
  const putPieces = cachedByCount((count) => putRows(host, 'ASSCHP', namesOf(ASSCHP.service), count));
  const countPieces = countRows(host, 'ASSCHP', 'ACID', 'ACSEQ');

  const writeHeader = (asset: AssetRow, state: HostAsset['state']): Promise<void> =>
    writeOwn(host, putAll('ASSHDP', putHeader, [assetHeader(asset, state)], stampAt(clock(), asset.zone)));

  /** The number of chunks on the host, from the first on; 0 where there is a gap. */
  async function countHostPieces(id: string): Promise<number> {
    const [row] = await onFile('ASSCHP', host.query(countPieces, [id]));
    const [count, last] = [Number(row?.['ROWCNT'] ?? 0), Number(row?.['LAST'] ?? 0)];
    return count === last ? count : 0;
  }

  async function writePieces(asset: AssetRow, content: string, pass: RowPass): Promise<RowOutcome> {
    const there = await countHostPieces(asset.id);
    let pieces: ServicePart<'ASSCHP'>[] = [];
    const flush = async (): Promise<void> => {
      await writeOwn(host, putAll('ASSCHP', putPieces, pieces, stampAt(clock(), asset.zone)));
      pieces = [];
    };
    for await (const piece of assetPieces(asset.id, readFile({ ...ready(asset), content }))) {
      if (Number(piece.ACSEQ) <= there) continue;
      pieces.push(piece);
      if (pieces.length < PIECES_A_TRANSACTION) continue;
      await flush();
      if (!pass.mayContinue()) return 'unfinished';
    }
    if (pieces.length > 0) await flush();
    return 'hosted';
  }

  return {
    files: ['ASSHDP', 'ASSCHP'],
    load: async (limit) => {
      const { rows } = await db.query<AssetRow & Record<string, unknown>>(loadAssets, [limit]);
      return rows.map((asset) => ({ key: [asset.id], version: asset.version, zone: asset.zone, asset }));
    },
    describe: ({ asset }) => JSON.stringify(assetHeader(asset, asset.state)),
    write: async ({ asset }, pass) => {
      if (asset.state !== 'R' || asset.content === null) {
        await writeHeader(asset, asset.state);
        return 'hosted';
      }
      await writeHeader(asset, 'L');
      if ((await writePieces(asset, asset.content, pass)) === 'unfinished') return 'unfinished';
      if ((await countHostPieces(asset.id)) !== hostPieceCount(asset.size)) {
        throw new HostError('38000', `the host does not hold every chunk of ${asset.id}`);
      }
      await writeHeader(asset, 'R');
      return 'hosted';
    },
    confirm: async ({ key, fence }, assets) => {
      // By the state that was written, not the present one: a file that arrives between these two statements is behind
      // again, and both run again for it.
      const arrived = assets.filter(({ asset }) => asset.state === 'R').map(({ asset }) => asset.id);
      if (arrived.length > 0) await db.query(recountClosedRoutes, [arrived]);
      await db.query(confirmAssets, [key.id, owner, fence, ...confirmAssets.parameters(assets), arrived]);
    },
  };
}

function ready({ sha256, ...asset }: AssetRow) {
  if (sha256 === null) throw new TypeError(`asset ${asset.id} is ready and has no digest`);
  return { ...asset, sha256 };
}
