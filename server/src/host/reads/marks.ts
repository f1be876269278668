import { hash } from 'node:crypto';
import { columnsOf, writerColumns } from '../files/columns.ts';
import { readCommitted } from '../files/dialect.ts';
import type { Host, HostRow } from '../host.ts';
import { lastWriter } from '../files/last-writer.ts';
import { namesOn } from '../files/library-map.ts';
import { selectColumns } from '../files/statements.ts';
import { hostFile, type HostFileName } from '../files/tables.ts';
import type { ImportedWeeks } from './imported-weeks.ts';

// The recorded state of a host without triggers: not the rows, but a digest of each.

/**
 * One row, or all rows of a stop in one file. Digests are blank where there are no columns: `born` creator and creation
 * time, `planned` the host's columns, `recorded` the service's.
 */
export interface PlaceMark {
  readonly file: HostFileName;
  /** The key columns' values, those of the route and the stop at most, separated by tabs. */
  readonly place: string;
  readonly born: string;
  readonly planned: string;
  readonly recorded: string;
}

/** All rows of a closed route's stops as one digest: they seldom change, and there are many. */
export interface RouteMark extends Omit<PlaceMark, 'file'> {
  readonly file: 'route';
}

export type Mark = PlaceMark | RouteMark;

/** A mark and the last writer of its rows, blank where that was the service alone. */
export interface CurrentMark extends PlaceMark {
  readonly user: string;
}

/** A closed route and its stops. */
export interface ClosedRouteMark {
  readonly mark: RouteMark;
  readonly stops: readonly string[];
}

/** Routes by their places. */
export interface RoutePlaces {
  readonly open: ReadonlySet<string>;
  /** Routes of current weeks. */
  readonly closed: ReadonlySet<string>;
}

/** Facility, route, week, and the stop (or the driver). */
const PLACE_IN_ROUTE = 4;
/** Files of a route beside its header; the header decides whether they are read. */
const routeFiles = ['RTDRVP', 'RTSTPP', 'RTPRDP', 'RTCOLP', 'RTPRUP', 'RTOSDP', 'RTIMGP', 'RTEMLP', 'RTSTUP'] as const;
/** In these files a row inserted again under its key is another one: a route that begins anew, a stop planned anew. */
const bornFiles: readonly HostFileName[] = ['RTHDRP', 'RTSTPP'];

/**
 * Reads the open routes and their master data, and the headers of closed routes, both from their own week on. @throws
 * HostError
 */
export async function readMarks(
  host: Host,
  { openFrom, closedFrom }: ImportedWeeks,
): Promise<RoutePlaces & { marks: CurrentMark[] }> {
  const { table, column, of, selected, literal } = namesOn(host);
  const closed = literal('RHPODS', 'C');
  /** The rows of a file, which the select calls F, belong to an open route. */
  const isOpen = (prefix: string) => {
    const same = ['FAC', 'RTE', 'WKE'].map((part) => `${of('H', `RH${part}`)} = ${of('F', `${prefix}${part}`)}`);
    return `exists (select 1 from ${table('RTHDRP')} H where ${same.join(' and ')} and ${of('H', 'RHWKE')} >= ? and ${of('H', 'RHPODS')} <> ${closed})`;
  };
  const poll = async (file: HostFileName, where: string, values: readonly string[] = []) =>
    marksOf(file, await host.query(selectAll(host, file, where), values));

  const isSeen = ` where ${column('RHWKE')} >= ? and (${column('RHPODS')} <> ${closed} or ${column('RHWKE')} >= ?)`;
  const weeks = [openFrom, closedFrom];
  const marks = await poll('RTHDRP', isSeen, weeks);
  const items = ['RHFAC', 'RHRTE', 'RHWKE', 'RHPODS'].map(selected).join(', ');
  const select = `select ${items} from ${table('RTHDRP')}${isSeen}`;
  const headers = await host.query(readCommitted(host.dialect, select), weeks);
  const places = (isClosed: boolean) =>
    new Set(
      headers.filter(({ RHPODS }) => (RHPODS === 'C') === isClosed).map((row) => textOf(row, keyOf('RTHDRP'), '\t')),
    );
  const open = places(false);
  // One facility at a time: memory contains digests, and the rows of one facility.
  for (const facility of new Set([...open].map((place) => place.split('\t', 1)[0] ?? '')))
    for (const file of routeFiles) {
      const { prefix } = hostFile(file);
      marks.push(
        ...(await poll(file, ` where ${column(`${prefix}FAC`)} = ? and ${isOpen(prefix)}`, [facility, openFrom])),
      );
    }
  const visited = `select ${of('F', 'RSCUS')} from ${table('RTSTPP')} F where ${isOpen('RS')}`;
  marks.push(
    ...(await poll('INVHDP', ` where ${isOpen('IH')}`, [openFrom])),
    ...(await poll('CUSMSP', ` where ${column('CMCUS')} in (${visited})`, [openFrom])),
  );
  for (const file of ['SLSREPP', 'ITCOLP', 'FACMSTP', 'EMPMSTP', 'CTLCDP'] as const)
    marks.push(...(await poll(file, '')));
  return { marks, open, closed: places(true) };
}

/** All stops of these closed routes, and the rows of the files `beside` them. @throws HostError */
export async function readClosedRoutes(
  host: Host,
  routes: readonly string[],
  beside: readonly 'RTHDRP'[] = [],
): Promise<ClosedRouteMark[]> {
  if (routes.length === 0) return [];
  const keys = routes.flatMap((route) => route.split('\t'));
  const byRoute = new Map(routes.map((route): [string, CurrentMark[]] => [route, []]));
  for (const file of [...beside, ...routeFiles]) {
    if (file === 'RTDRVP') continue;
    const { prefix } = hostFile(file);
    const { column } = namesOn(host);
    const isOne = `(${['FAC', 'RTE', 'WKE'].map((part) => `${column(`${prefix}${part}`)} = ?`).join(' and ')})`;
    const where = ` where ${routes.map(() => isOne).join(' or ')}`;
    for (const mark of marksOf(file, await host.query(selectAll(host, file, where), keys)))
      byRoute.get(routeOfPlace(mark) ?? '')?.push(mark);
  }
  return Array.from(byRoute, ([place, marks]) => ({
    mark: { file: 'route', place, born: '', planned: '', recorded: digest(marks.map((mark) => JSON.stringify(mark))) },
    stops: marks
      .filter(({ file }) => file === 'RTSTPP')
      .map((stop) => stop.place.split('\t')[PLACE_IN_ROUTE - 1] ?? ''),
  }));
}

/** Whether the host has a route's header, in any state. @throws HostError */
export async function hasHeader(host: Host, place: string): Promise<boolean> {
  const select = selectColumns(host, 'RTHDRP', ['RHFAC'], ['RHFAC', 'RHRTE', 'RHWKE']);
  const found = await host.query(select, place.split('\t'));
  return found.length > 0;
}

/** The key columns of a place by name. */
export function placeKey({ file, place }: Pick<PlaceMark, 'file' | 'place'>): { [column: string]: string } {
  const values = place.split('\t');
  return Object.fromEntries(placeColumns(file).map((column, index) => [column, values[index] ?? '']));
}

/** The route of a place; undefined for master data. */
export function routeOfPlace({ file, place }: Pick<PlaceMark, 'file' | 'place'>): string | undefined {
  if (file !== 'RTHDRP' && !routeFiles.some((known) => known === file)) return undefined;
  return place.split('\t').slice(0, 3).join('\t');
}

/** Digested columns and their last writers, in the order of the key. */
function selectAll(host: Host, file: HostFileName, where: string): string {
  const { table, of, selected } = namesOn(host);
  const { prefix } = hostFile(file);
  const tail = [
    ...['CUSR', 'CPGM', 'CDAT', 'CTIM'].map((column) => `${prefix}${column}`),
    ...writerColumns(hostFile(file)),
  ];
  const columns = [...Object.keys(columnsOf(hostFile(file))), ...tail].map(selected).join(', ');
  const order = keyOf(file).map((column) => of('F', column));
  return readCommitted(host.dialect, `select ${columns} from ${table(file)} F${where} order by ${order.join(', ')}`);
}

/** Rows come in the order of their key: those of one place follow each other. */
function marksOf(file: HostFileName, rows: readonly HostRow[]): CurrentMark[] {
  const { prefix, key, host, service } = hostFile(file);
  const [all, planned, recorded] = [key, host, service].map((columns) => Object.keys(columns));
  const at = placeColumns(file);
  const places = new Map<string, { first: HostRow; planned: string[]; recorded: string[]; user: string }>();
  for (const row of rows) {
    const place = textOf(row, at, '\t');
    const seen = places.get(place) ?? { first: row, planned: [], recorded: [], user: '' };
    places.set(place, seen);
    if (planned?.length || !recorded?.length) seen.planned.push(textOf(row, [...(all ?? []), ...(planned ?? [])]));
    if (recorded?.length) seen.recorded.push(textOf(row, [...(all ?? []), ...recorded]));
    seen.user = lastWriter(file, row) || seen.user;
  }
  const creation = ['CUSR', 'CPGM', 'CDAT', 'CTIM'].map((column) => `${prefix}${column}`);
  return Array.from(places, ([place, seen]) => ({
    file,
    place,
    born: bornFiles.includes(file) ? digest([textOf(seen.first, creation)]) : '',
    planned: digest(seen.planned),
    recorded: digest(seen.recorded),
    user: seen.user,
  }));
}

function digest(texts: readonly string[]): string {
  return texts.length === 0 ? '' : hash('sha256', texts.join('\u001e'), 'base64url').slice(0, 22);
}

function textOf(row: HostRow, columns: readonly string[], between = '\u001f'): string {
  return columns.map((column) => String(row[column])).join(between);
}

const keyOf = (file: HostFileName): string[] => Object.keys(hostFile(file).key);

function placeColumns(file: HostFileName): string[] {
  return routeFiles.some((known) => known === file) ? keyOf(file).slice(0, PLACE_IN_ROUTE) : keyOf(file);
}
