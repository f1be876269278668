import type { Json } from '#canonical-json';
import type { Stamp, StopResult } from '../schema/stops.ts';
import { lineKinds } from '../schema/stops.ts';

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
    eachField(result, (path, value) => {
      const writer = writerOf(result, path);
      if (writer && isOffice(writer)) edits.push({ path, value, by: writer.by, at: writer.at });
    });
  return edits;
}

/** What stood on the host when the route was first seen has no author: nobody knows who wrote it. */
export const isOffice = ({ client, by }: Stamp): boolean => client === officeSource && by !== '' && by !== takenBack;

/** Who wrote a field that the result holds. Nobody writes that a stop is pending, unless the office has taken it back. */
export function writerOf({ status, by, at }: StopResult, path: string): Stamp | undefined {
  if (path === 'status' && status === 'P' && at?.['status'] === undefined) return undefined;
  return by?.[at?.[path] ?? 0];
}

/** What a result says, by path. That a stop is pending is said by nobody, unless it has a writer. */
export function eachField(result: StopResult, take: (path: string, value: Json | undefined) => void): void {
  take('status', result.status);
  if (result.arrived !== undefined) take('arrived', result.arrived);
  for (const field in result.updates) take(`updates.${field}`, valueOf(result.updates, field));
  for (const kind of lineKinds)
    for (const key in result[kind])
      for (const field in result[kind][key])
        if (field !== 'id' && field !== 'invoice' && field !== 'n')
          take(`${kind}.${key}.${field}`, valueOf(result[kind][key], field));
}

const valueOf = (fields: Fields, field: string): Json | undefined => fields[field];
type Fields = { readonly [field: string]: Json | undefined };

/** Undefined where nothing was ever written. */
export function valueAt(result: StopResult, path: string): Json | undefined {
  let found: Json | undefined;
  eachField(result, (each, value) => {
    if (each === path) found = value;
  });
  return found;
}
