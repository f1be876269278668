import type { Part } from '../../assets/queries.ts';
import { findAsset, readBytes } from '../../assets/queries.ts';
import type { Db } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { asEvidence, askEachTime, assetAnswer } from '../../http/answers/file-answer.ts';
import { AppError } from '../../wire/errors.ts';
import { opsFileOperations } from './contract.ts';

/** Operators: photos and signatures. */
export function opsFileEndpoints(db: Db) {
  return {
    readOpsAsset: endpoint(opsFileOperations.readOpsAsset, async ({ request, params }) => {
      const asset = await findAsset(db, params.asset_id);
      if (!asset) throw new AppError('ASSET_NOT_FOUND');
      const read = (part?: Part) => readBytes(db, asset, part);
      return assetAnswer(request, asset, { read, cacheControl: askEachTime, headers: asEvidence });
    }),
  };
}
