import type { Json } from './canonical-json.ts';
import type { LineResult, Stamp, StopResult } from './stops.ts';

// Who wrote which field of a stop's result. Paths are those of `stopResult`.

/** Stands where a queue would in the stamp of what the office has changed. */
export const officeSource = 'office';
/** The author of what a restored server took back from the host: nobody edited anything. */
export const takenBack = 'RESTORED';

/** A field that stands as the office wrote it. */
export interface OfficeEdit {
  /** `status`, `arrived`, `updates.NAME`, or a line's field. */
  readonly path: string;
  readonly value: Json | undefined;
  /** The host's name for who wrote it, `office` where the host tells none. */
  readonly by: string;
  /** When it was written; ms since 1970, by the server's clock. */
  readonly at: number;
}

/** What of a stop stands as the office wrote it: a clerk on the host, or an operator who repaired it. */
export function officeEdits(result: StopResult): OfficeEdit[] {
  const edits: OfficeEdit[] = [];
  if (result.by?.some(isOffice))
    for (const path of writtenPaths(result)) {
      const writer = writerOf(result, path);
      if (writer && isOffice(writer)) edits.push({ path, value: valueAt(result, path), by: writer.by, at: writer.at });
    }
  return edits;
}

/** What stood on the host when the route was first seen has no author: nobody knows who wrote it. */
const isOffice = ({ client, by }: Stamp): boolean => client === officeSource && by !== '' && by !== takenBack;

/** Who wrote a field that the result holds. Nobody writes that a stop is pending, unless the office has taken it back. */
export function writerOf({ status, by, at }: StopResult, path: string): Stamp | undefined {
  if (path === 'status' && status === 'P' && at?.['status'] === undefined) return undefined;
  return by?.[at?.[path] ?? 0];
}

export function* writtenPaths(
  result: StopResult,
  isStatusWritten = writerOf(result, 'status') !== undefined,
): Generator<string> {
  if (isStatusWritten) yield 'status';
  if (result.arrived !== undefined) yield 'arrived';
  for (const field in result.updates) yield `updates.${field}`;
  for (const kind of ['products', 'collections'] as const)
    for (const key in result[kind])
      for (const field in result[kind][key])
        if (field !== 'id' && field !== 'invoice' && field !== 'n') yield `${kind}.${key}.${field}`;
}

/** Undefined where nothing was ever written; a line's key may hold dots. */
export function valueAt(result: StopResult, path: string): Json | undefined {
  const last = path.lastIndexOf('.');
  const name = path.slice(last + 1);
  if (last < 0) return name === 'status' ? result.status : name === 'arrived' ? result.arrived : undefined;
  const [kind = ''] = path.split('.', 1);
  const holder: Fields | undefined =
    kind === 'updates' ? result.updates : linesOf(result, kind)?.[path.slice(kind.length + 1, last)];
  return holder?.[name];
}

type Fields = { readonly [field: string]: Json | undefined };

const linesOf = (result: StopResult, kind: string): Record<string, LineResult> | undefined =>
  kind === 'products' ? result.products : kind === 'collections' ? result.collections : undefined;
