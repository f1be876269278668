import type { Json } from '#canonical-json';
import type { Stamp, StopResult } from '../schema/stops.ts';
import { lineKinds } from '../schema/stops.ts';

// The writers of the fields of a stop's result. Paths are those of `stopResult`.

/** The source, in place of a queue, in the stamps of the office's edits. */
export const officeSource = 'office';
/** The author of values that a restored server read back from the host. They are no edits. */
export const restoredAuthor = 'RESTORED';

/** A field whose last writer is the office. */
export interface OfficeEdit {
  /** `status`, `arrived`, `updates.NAME`, or a line's field. */
  readonly path: string;
  readonly value: Json | undefined;
  /** The host's name of the author, `office` where the host has none. */
  readonly by: string;
  /** The time of the edit: ms since 1970, by the server's clock. */
  readonly at: number;
}

/** The fields of a stop whose last writer is the office: a clerk on the host, or an operator by a repair. */
export function officeEdits(result: StopResult): OfficeEdit[] {
  const edits: OfficeEdit[] = [];
  if (result.by?.some(isOffice))
    eachField(result, (path, value) => {
      const writer = writerOf(result, path);
      if (writer && isOffice(writer)) edits.push({ path, value, by: writer.by, at: writer.at });
    });
  return edits;
}

/** Whether the office wrote a field. Values from the first import of a route have no author. */
export const isOffice = ({ client, by }: Stamp): boolean =>
  client === officeSource && by !== '' && by !== restoredAuthor;

/** The writer of a field of the result. The status P has one only where the office made the stop pending again. */
export function writerOf({ status, by, at }: StopResult, path: string): Stamp | undefined {
  if (path === 'status' && status === 'P' && at?.['status'] === undefined) return undefined;
  return by?.[at?.[path] ?? 0];
}

/** Visits each field of a result by path. The status P counts as a field, also without a writer. */
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

/** The value at a path; undefined where it was never written. */
export function valueAt(result: StopResult, path: string): Json | undefined {
  let found: Json | undefined;
  eachField(result, (each, value) => {
    if (each === path) found = value;
  });
  return found;
}
