import type { RouteKey } from '@tailgate/sync-protocol';
import { stopFiles, type ForeignChange, type StopOnHost, type StopFile } from '../../stops/host-stop.ts';
import type { HostFileName, ServicePart } from '../../host/files/tables.ts';
import { partColumns, servicePart } from './service-part.ts';

// The text of `host_shadow.rows`: per file its columns once, and the values of each row. It leaves out the route (and
// stop), which are the shadow's own key. A column that is defined later has its initial value.

/** Columns that name the route and its stop. */
const ROUTE_KEY = 3;
const STOP_KEY = 4;

interface FileShadow {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
interface Shadow {
  readonly files: { readonly [file: string]: FileShadow };
  readonly credited?: readonly string[];
  readonly foreign?: readonly ForeignChange[];
}
const readShadow: (text: string) => Shadow = JSON.parse;

export function encodeStop({ rows, credited, foreign = [] }: StopOnHost): string {
  const files = Object.fromEntries(
    stopFiles.filter((name) => rows[name].length > 0).map((name) => [name, encodeRows(name, rows[name], STOP_KEY)]),
  );
  return JSON.stringify({
    files,
    ...(credited.size > 0 ? { credited: [...credited] } : {}),
    ...(foreign.length > 0 ? { foreign } : {}),
  });
}

export function decodeStop(text: string, key: RouteKey, stop: number): StopOnHost {
  const { files, credited = [], foreign } = readShadow(text);
  const parent = [...routeValues(key), String(stop)];
  const rows = <Name extends StopFile>(name: Name) => decodeRows(name, files[name], parent);
  return {
    rows: {
      RTSTPP: rows('RTSTPP'),
      RTPRUP: rows('RTPRUP'),
      RTOSDP: rows('RTOSDP'),
      RTIMGP: rows('RTIMGP'),
      RTEMLP: rows('RTEMLP'),
      RTSTUP: rows('RTSTUP'),
    },
    credited: new Set(credited),
    ...(foreign === undefined ? {} : { foreign }),
  };
}

export function encodeHeader(row: ServicePart<'RTHDRP'>, foreign: readonly ForeignChange[] = []): string {
  const files = { RTHDRP: encodeRows('RTHDRP', [row], ROUTE_KEY) };
  return JSON.stringify(foreign.length > 0 ? { files, foreign } : { files });
}

/** Edits of the route's own row by other programs that the log on the host does not have yet. */
export function foreignOfHeader(text: string | null): readonly ForeignChange[] {
  return text === null ? [] : (readShadow(text).foreign ?? []);
}

export function decodeHeader(text: string, key: RouteKey): ServicePart<'RTHDRP'> | undefined {
  const { files } = readShadow(text);
  return decodeRows('RTHDRP', files['RTHDRP'], routeValues(key))[0];
}

/** The route's key in the host's columns. */
export function routeValues({ facility, id, week_end }: RouteKey): [string, string, `${number}`] {
  return [facility, id, `${Number(week_end)}`];
}

function encodeRows(
  name: HostFileName,
  rows: readonly { readonly [column: string]: string }[],
  parent: number,
): FileShadow {
  const columns = partColumns(name).slice(parent);
  return { columns, rows: rows.map((row) => columns.map((column) => row[column] ?? '')) };
}

function decodeRows<Name extends HostFileName>(
  name: Name,
  confirmed: FileShadow | undefined,
  parent: readonly string[],
): ServicePart<Name>[] {
  if (!confirmed) return [];
  const inParent = new Map(
    partColumns(name)
      .slice(0, parent.length)
      .map((column, index) => [column, parent[index]]),
  );
  const place = new Map(confirmed.columns.map((column, index) => [column, index]));
  return confirmed.rows.map((values) =>
    servicePart(name, (column) => inParent.get(column) ?? values[place.get(column) ?? -1]),
  );
}
