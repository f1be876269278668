/** What statements are given: texts, and the bytes of files. */
export type SqlValue = string | Uint8Array<ArrayBuffer>;

/** A statement and its parameters. */
export type Statement = readonly [sql: string, parameters: readonly SqlValue[]];

/**
 * Before anything else. `exclusive`: a second process would number the same queue; it is turned away (SQLITE_BUSY) as
 * long as this one lives. `full`: a commit is on the disk when it is said to be; `fullfsync`: on Apple's, too.
 */
export const pragmas = [
  'pragma locking_mode = exclusive',
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma fullfsync = 1',
];

/** Answered as long as the database is open; reads a page, which a file that was taken away has not. */
export const probe = 'select count(*) from sqlite_schema';

/** All tables of the store in one: a row is found by its area and key. */
export const createRows = `
  create table if not exists tailgate_row (
    area text not null,
    key text not null,
    value text not null,
    primary key (area, key)
  ) without rowid`;

/** Takes the lock, and says whether the file can be written: at opening, not at the driver's first tap. */
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

/** By comparison of texts: in a pattern, a key's own percent signs would count. */
export const deletePrefix = (area: string, prefix: string): Statement => [
  'delete from tailgate_row where area = ? and key >= ? and substr(key, 1, length(?)) = ?',
  [area, prefix, prefix, prefix],
];

/** What is known of each file, as JSON. */
export const createFiles =
  'create table if not exists tailgate_file (id text not null primary key, facts text not null)';

/** The bytes of files; a key is the file's id and the place of the piece. */
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
