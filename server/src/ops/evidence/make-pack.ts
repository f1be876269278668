import { create as contentDisposition } from 'content-disposition';
import type { Act } from '../../acts/sql.ts';
import { fileReader, type FileSource } from '../../assets/file-bytes.ts';
import { bodyOf } from '../../http/answers/file-answer.ts';
import { RawAnswer } from '../../http/answers/raw-answer.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import type { ReadSealKey } from './certificate/seal-key.ts';
import type { StampDigest } from './certificate/stamp.ts';
import type { EvidenceQuery } from './contract.ts';
import type { EvidenceFile } from './evidence.ts';
import { nameOf } from './pack/names.ts';
import { packBytes, type PackInput } from './pack/pack.ts';
import { readEvidence, type Evidence, type EvidenceSource, type Scope } from './read-evidence.ts';

/** The archive and its document have 32-bit sizes, and both contain the pictures. */
const maxFileBytes = 1.5 * 1024 ** 3;

export function scopeOf({ facility, route_id, week_end, stop_id, customer, from, until }: EvidenceQuery): Scope {
  if (customer !== undefined && from !== undefined && until !== undefined)
    return { kind: 'customer', facility, customer, from, until };
  // The contract has checked that a route has both.
  const route = { facility, id: route_id ?? '', week_end: week_end ?? '' };
  return stop_id === undefined ? { kind: 'route', route } : { kind: 'stop', route, stop: stop_id };
}

/** The place of an act about a scope. */
export function placeOf(scope: Scope): Act['place'] {
  if (scope.kind === 'customer') return undefined;
  const { facility, id: route, week_end: weekEnd } = scope.route;
  return { facility, route, weekEnd, stop: scope.kind === 'stop' ? scope.stop : null };
}

/** The files of a pack, each once. */
export function filesOf({ stops }: Evidence): EvidenceFile[] {
  return [...new Map(stops.flatMap(({ files }) => files.map((file) => [file.asset_id, file]))).values()];
}

export const sizeOf = (files: readonly EvidenceFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** The sources of a pack. */
export interface PackSource extends EvidenceSource {
  /** The certificate that signs packs; undefined for a server without one. */
  readonly sealKey: ReadSealKey | undefined;
  /** The authority for time stamps, where the server has one. */
  readonly stamp: StampDigest | undefined;
  readonly clock: () => Date;
}

/** Reads the evidence of a pack. @throws AppError as `readEvidence`, and VALIDATION_FAILED where its files are too many */
export async function boundedPack(source: PackSource, query: EvidenceQuery): Promise<PackInput> {
  const scope = scopeOf(query);
  const evidence = await readEvidence(source, scope, new Set(query.without));
  if (sizeOf(filesOf(evidence).filter(({ member }) => member !== null)) > maxFileBytes) {
    const path = scope.kind === 'customer' ? 'until' : 'without';
    throw invalidInput([{ path, message: 'the files have more than 1.5 GiB: ask for fewer days, or without photos' }]);
  }
  const key = await source.sealKey?.();
  return { scope, evidence, without: query.without, sealing: key && { key, at: source.clock(), stamp: source.stamp } };
}

/** The pack as a file. */
export function answerWith(
  { db, store }: FileSource,
  input: PackInput,
  request: Parameters<typeof bodyOf>[0],
): RawAnswer {
  const headers = {
    'content-type': 'application/zip',
    'content-disposition': contentDisposition(nameOf(input.scope, input.without)),
    // It contains names, and each making is an act.
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  };
  return new RawAnswer(
    200,
    headers,
    bodyOf(request, () => packBytes(fileReader(db, store), input)),
  );
}
