import type { Scope } from '@tailgate/sync-protocol';

/** A document whose JSON text is known: it is spliced into frames as it is, never parsed and printed again. */
export interface TextDocument {
  readonly key: string;
  readonly version: number;
  readonly text: string;
}

export interface ParkedStop {
  readonly stop: number;
  readonly reason: string;
}

/** How far the legacy host has come with a route. */
export interface Hosted {
  readonly through: number;
  readonly parked: readonly ParkedStop[];
}

export interface PatchContent {
  readonly scope: Scope;
  readonly epoch: string;
  readonly to: number;
  readonly documents: readonly TextDocument[];
  readonly deletes: readonly string[];
  readonly hosted: Hosted | null;
  readonly awaited: readonly number[] | null;
  readonly checksum: number;
}

/** The frame `patch` from the version `from`; null: the whole scope. */
export const patchText = (content: PatchContent, from: number | null): string =>
  `{"type":"patch","from":${from},${members(content)}}`;

/** The body of `GET /api/sync/snapshot`: a patch from nothing. */
export const snapshotText = (content: PatchContent): string => `{${members(content)}}`;

function members({ scope, epoch, to, documents, deletes, hosted, awaited, checksum }: PatchContent): string {
  const docs = documents.map(
    ({ key, version, text }) => `{"key":${JSON.stringify(key)},"version":${version},"value":${text}}`,
  );
  const host = hosted ? `"hosted_through":${hosted.through},"parked":${JSON.stringify(hosted.parked)},` : '';
  const evidence = awaited ? `"awaited":${JSON.stringify(awaited)},` : '';
  return (
    `"scope":${JSON.stringify(scope)},"epoch":"${epoch}","to":${to},"docs":[${docs.join(',')}],` +
    `"deletes":${JSON.stringify(deletes)},${host}${evidence}"checksum":${checksum}`
  );
}
