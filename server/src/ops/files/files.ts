import { fileReader, type FileSource, type Part } from '../../assets/file-bytes.ts';
import { findAsset } from '../../assets/queries.ts';
import type { Db } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { asEvidence, askEachTime, assetAnswer } from '../../http/answers/file-answer.ts';
import { AppError } from '../../wire/errors.ts';
import { opsFileOperations } from './contract.ts';

/** Operators: photos and signatures. */
export function opsFileEndpoints(db: Db, store: FileSource['store']) {
  const readFile = fileReader(db, store);
  return {
    readOpsAsset: endpoint(opsFileOperations.readOpsAsset, async ({ request, params }) => {
      const asset = await findAsset(db, params.asset_id);
      if (!asset) throw new AppError('ASSET_NOT_FOUND');
      const read = (part?: Part) => readFile(asset, part);
      return assetAnswer(request, asset, { read, cacheControl: askEachTime, headers: asEvidence });
    }),
  };
}
