import type { Scope } from '@tailgate/sync-protocol';

/** A document with its JSON text, which goes into frames unparsed. */
export interface TextDocument {
  readonly key: string;
  readonly version: number;
  readonly text: string;
}

export interface ParkedStop {
  readonly stop: number;
  readonly reason: string;
}

/** The replication state of a route on the legacy host. */
export interface Hosted {
  readonly through: number;
  /** Changes up to this version were accepted in shadow; 0: none. */
  readonly shadow: number;
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
  [`{"type":"patch","from":${from},`, ...members(content)].join('');

/**
 * The body of `GET /api/sync/snapshot`: a patch from nothing. Each text is written directly to its place in the body.
 * Joining a megabyte of texts first takes four times as long.
 */
export function snapshotBytes(content: PatchContent): Buffer {
  const parts = ['{', ...members(content)];
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let end = 0;
  for (const part of parts) end += bytes.write(part, end);
  return bytes;
}

/** The frame's text in parts, without its opening. */
function members({ scope, epoch, to, documents, deletes, hosted, awaited, checksum }: PatchContent): string[] {
  const shadow = hosted && hosted.shadow > 0 ? `"shadow_through":${hosted.shadow},` : '';
  const host = hosted ? `"hosted_through":${hosted.through},${shadow}"parked":${JSON.stringify(hosted.parked)},` : '';
  const evidence = awaited ? `"awaited":${JSON.stringify(awaited)},` : '';
  return [
    `"scope":${JSON.stringify(scope)},"epoch":"${epoch}","to":${to},"docs":[`,
    ...documents.flatMap(({ key, version, text }, n) => [
      `${n === 0 ? '' : ','}{"key":${JSON.stringify(key)},"version":${version},"value":`,
      text,
      '}',
    ]),
    `],"deletes":${JSON.stringify(deletes)},${host}${evidence}"checksum":${checksum}}`,
  ];
}
