/** Parameters of statements: texts, and the bytes of files. */
export type SqlValue = string | Uint8Array<ArrayBuffer>;

/** A statement and its parameters. */
export type Statement = readonly [sql: string, parameters: readonly SqlValue[]];

/**
 * Run first. `exclusive`: a second process would number the same queue; SQLite rejects it (SQLITE_BUSY) while this one
 * runs. `full`: a reported commit is on the disk; `fullfsync`: on Apple's platforms, too.
 */
export const pragmas = [
  'pragma locking_mode = exclusive',
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma fullfsync = 1',
];

/** Succeeds while the database is open. It reads a page, which fails where the file was removed. */
export const probe = 'select count(*) from sqlite_schema';

/** One table for all tables of the store: area and key identify a row. */
export const createRows = `
  create table if not exists tailgate_row (
    area text not null,
    key text not null,
    value text not null,
    primary key (area, key)
  ) without rowid`;

/** Takes the lock, and fails at once where the file is not writable: at opening, not at the driver's first tap. */
export const takeLock = ['begin immediate', 'commit'];

export const selectRows = 'select key, value from tailgate_row where area = ?';

export const putRow = (area: string, key: string, value: string): Statement => [
  `insert into tailgate_row (area, key, value) values (?, ?, ?)
   on conflict (area, key) do update set value = excluded.value`,
  [area, key, value],
];

export const deleteRow = (area: string, key: string): Statement => [
  'delete from tailgate_row where area = ? and key = ?',
  [area, key],
];

/** Compares texts: a pattern would interpret percent signs of a key. */
export const deletePrefix = (area: string, prefix: string): Statement => [
  'delete from tailgate_row where area = ? and key >= ? and substr(key, 1, length(?)) = ?',
  [area, prefix, prefix, prefix],
];

/** The record of each file, as JSON. */
export const createFiles =
  'create table if not exists tailgate_file (id text not null primary key, facts text not null)';

/** The bytes of files; a key is the file's id and the index of the piece. */
export const createPieces = `
  create table if not exists tailgate_piece (key text not null primary key, bytes blob not null)`;

export const selectFiles = 'select id, facts from tailgate_file';

export const selectPiece = 'select bytes from tailgate_piece where key = ?';

export const putFile = (id: string, facts: string): Statement => [
  'insert into tailgate_file (id, facts) values (?, ?) on conflict (id) do update set facts = excluded.facts',
  [id, facts],
];

export const putPiece = (key: string, bytes: Uint8Array<ArrayBuffer>): Statement => [
  'insert into tailgate_piece (key, bytes) values (?, ?) on conflict (key) do update set bytes = excluded.bytes',
  [key, bytes],
];

export const deleteFile = (id: string): Statement => ['delete from tailgate_file where id = ?', [id]];

export const deletePieces = (prefix: string): Statement => [
  'delete from tailgate_piece where key >= ? and substr(key, 1, length(?)) = ?',
  [prefix, prefix, prefix],
];
