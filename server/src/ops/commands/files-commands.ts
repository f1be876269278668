import { moveToObjects, moveToRows, type MoveDeps, type Moved } from '../../assets/objects/move.ts';
import { openObjectStore } from '../../object-store/open.ts';
import { adoptPrefix, ownPlace, readPlace } from '../../assets/objects/owner.ts';
import { countGone, countPlaces, listStores, type StoreRow } from '../../assets/objects/sql.ts';
import type { StoreAddress } from '../../setting-values.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Manual } from '../../runtime/command-line.ts';
import { StartError } from '../../runtime/start-error.ts';

// `npm run ops -- files …`: where the bytes of photos and signatures are.

export const filesCommands: Manual['commands'] = {
  files: {
    takes: '[to-objects|to-rows|adopt PREFIX]',
    does: 'where photos and signatures are; moves their bytes into the store of S3_URL, or back; adopt: deletes there again, once no other database uses the same objects',
  },
};

export type FilesCommand = { readonly verb: 'files' } & (
  { readonly act: 'show' | 'to-objects' | 'to-rows' } | { readonly act: 'adopt'; readonly prefix: string }
);

/** The words after `files`; undefined for a misuse. */
export function parseFilesCommand([act, prefix, ...more]: readonly string[]): FilesCommand | undefined {
  if (more.length > 0) return undefined;
  if (act === 'adopt' && prefix !== undefined) return { verb: 'files', act, prefix: `${prefix.replace(/\/+$/, '')}/` };
  if (prefix !== undefined) return undefined;
  if (act === undefined) return { verb: 'files', act: 'show' };
  return act === 'to-objects' || act === 'to-rows' ? { verb: 'files', act } : undefined;
}

export interface FilesOptions {
  readonly objectStore?: StoreAddress | undefined;
}

/** @returns what to show */
export async function runFilesCommand(command: FilesCommand, db: Db, options: FilesOptions): Promise<string> {
  if (command.act === 'show') return describe(db);
  const problems: string[] = [];
  const store = await openObjectStore(options.objectStore, collecting(problems));
  if (!store) throw new StartError('S3_URL: names no store');
  try {
    const place = await readPlace(db);
    if (command.act === 'adopt') return await adopt(db, store, { prefix: command.prefix, epoch: place.epoch });
    await ownPlace(db, place);
    const deps: MoveDeps = {
      db,
      inTransaction: (work) => withTransaction(db, work),
      store,
      prefix: place.prefix,
      clock: () => new Date(),
      log: collecting(problems),
    };
    const moved = await (command.act === 'to-objects' ? moveToObjects(deps) : moveToRows(deps));
    return [describeMove(moved, command.act), ...problems].join('\n');
  } finally {
    store.close();
  }
}

async function adopt(
  db: Db,
  store: Parameters<typeof adoptPrefix>[0]['store'],
  place: Parameters<typeof adoptPrefix>[1],
): Promise<string> {
  const { rows } = await db.query<{ prefix: string | null }>(countPlaces);
  const { rows: gone } = await db.query<{ prefix: string }>(countGone);
  if (![...rows, ...gone].some(({ prefix }) => prefix === place.prefix))
    throw new StartError(
      `no file of this database begins with ${place.prefix} (npm run ops -- files shows its prefixes)`,
    );
  await adoptPrefix({ db, store }, place);
  return `This database deletes objects below ${place.prefix} from now on. No other database may use them.`;
}

async function describe(db: Db): Promise<string> {
  const place = await readPlace(db);
  const { rows } = await db.query<{ prefix: string | null; files: number; bytes: number }>(countPlaces);
  const { rows: gone } = await db.query<{ prefix: string; objects: number }>(countGone);
  const { rows: owned } = await db.query<StoreRow>(listStores, [place.epoch]);
  const stateOf = (prefix: string): string => {
    const row = owned.find((candidate) => candidate.prefix === prefix);
    if (!row) return 'of another epoch: nothing is deleted there';
    return row.disputed_at ? `disputed since ${row.disputed_at.toISOString()}: nothing is deleted there` : 'ours';
  };
  return [
    ...(rows.length === 0 ? ['No file is stored yet.'] : []),
    ...rows.map(({ prefix, files, bytes }) =>
      prefix === null
        ? `rows: ${files} files, ${megabytes(bytes)}`
        : `objects below ${prefix} (${stateOf(prefix)}): ${files} files, ${megabytes(bytes)}`,
    ),
    ...gone.map(
      ({ prefix, objects }) => `waiting for their deletion below ${prefix} (${stateOf(prefix)}): ${objects} objects`,
    ),
  ].join('\n');
}

const describeMove = ({ files, bytes, damaged }: Moved, act: 'to-objects' | 'to-rows'): string =>
  [
    `${files} files (${megabytes(bytes)}) have moved ${act === 'to-objects' ? 'into the store' : 'into the database'}.`,
    ...(damaged.length > 0 ? [`${damaged.length} files have damaged bytes and stay: ${damaged.join(', ')}`] : []),
  ].join('\n');

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** The command prints warnings and errors behind its outcome. */
function collecting(problems: string[]): Log {
  const add = (_fields: object, message: string): void => void problems.push(message);
  return { debug: () => undefined, info: () => undefined, warn: add, error: add };
}
