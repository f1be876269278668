import type { ExportedQueue } from '@tailgate/client-sdk/rescue';
import { isExportedQueue } from '@tailgate/client-sdk/rescue';
import { maxFileBytes, parcelOfFile } from '../../ui/hand-over-file.ts';

export type Queue = ExportedQueue;
export type Change = Queue['mutations'][number];

/** Fewer than the server takes in one request: the page shows the progress of each part. */
const pieceItems = 100;
/** The server takes a megabyte. */
const pieceBytes = 512 * 1024;

/** A file as it was read. `sealed`: the passphrase opens it. `photo`: a picture of a phone, with its id in the name. */
export type ReadFile =
  | { readonly is: 'queues'; readonly queues: readonly Queue[] }
  | { readonly is: 'sealed'; readonly parcel: Uint8Array<ArrayBuffer> }
  | { readonly is: 'partial' | 'foreign' | 'photo' | 'huge' | 'empty' };

/** Reads a file of a phone: the text of a hand-over, or the JSON of an export. */
export async function readFile(file: File): Promise<ReadFile> {
  if (file.type.startsWith('image/')) return { is: 'photo' };
  if (file.size > maxFileBytes) return { is: 'huge' };
  const text = await file.text();
  const json = jsonOf(text);
  if (json !== undefined) return queuesOf(json);
  const parcel = parcelOfFile(text);
  return parcel instanceof Uint8Array ? { is: 'sealed', parcel } : { is: parcel };
}

function queuesOf(json: unknown): ReadFile {
  const all: readonly unknown[] = Array.isArray(json) ? json : [json];
  const queues = all.filter((each) => isExportedQueue(each));
  if (queues.length < all.length) return { is: 'foreign' };
  return queues.some(({ mutations }) => mutations.length > 0) ? { is: 'queues', queues } : { is: 'empty' };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The contents of a queue, before it is sent. */
export interface Contents {
  readonly changes: number;
  /** When the oldest and the newest were recorded, by the clock of the phone; ms since 1970. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly exportedAt: number | undefined;
  readonly routes: readonly string[];
  /** Ids of the photos and signatures that the changes name. */
  readonly files: readonly string[];
}

export function contentsOf({ mutations, exported_at }: Queue): Contents {
  const times = mutations.flatMap(({ captured_at }) => instantOf(captured_at) ?? []);
  const routes = mutations.flatMap((change) => subjectOf(change).route ?? []);
  return {
    changes: mutations.length,
    since: times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b)),
    until: times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b)),
    exportedAt: instantOf(exported_at),
    routes: [...new Set(routes)].sort(),
    files: filesOf(mutations),
  };
}

/** Undefined for a text that is no time. */
export function instantOf(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

interface Subject {
  readonly route: string | undefined;
  readonly facility: string | undefined;
  readonly weekEnd: string | undefined;
  readonly stop: number | undefined;
}

/** The stop that a change names; a report names none. */
export function subjectOf({ args }: Change): Subject {
  const route = membersOf(args['route']);
  const stop = args['stop_id'] ?? membersOf(args['stop'])['id'];
  return {
    route: textOf(route['id']),
    facility: textOf(route['facility']),
    weekEnd: textOf(route['week_end']),
    stop: typeof stop === 'number' ? stop : undefined,
  };
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  value instanceof Object ? Object.fromEntries(Object.entries(value)) : {};
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const fileMembers = ['signature_id', 'images_id', 'image_ids', 'photos_id'];
const fileId = /^[A-Za-z0-9]{16}$/;

/** Each file once, in the order of the changes. */
function filesOf(changes: readonly Change[]): readonly string[] {
  const found = new Set<string>();
  const search = (value: unknown, isFile: boolean): void => {
    if (typeof value === 'string' && isFile && fileId.test(value)) found.add(value);
    if (Array.isArray(value)) for (const each of value) search(each, isFile);
    else for (const [name, member] of Object.entries(membersOf(value))) search(member, fileMembers.includes(name));
  };
  for (const { args } of changes) search(args, false);
  return [...found];
}

/** The changes in parts that the server takes, in order. */
export function piecesOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const pieces: Change[][] = [];
  let bytes = Infinity;
  for (const change of changes) {
    const size = new TextEncoder().encode(JSON.stringify(change)).length;
    const last = pieces.at(-1);
    if (last && last.length < pieceItems && bytes + size <= pieceBytes) {
      last.push(change);
      bytes += size;
    } else {
      pieces.push([change]);
      bytes = size;
    }
  }
  return pieces;
}
