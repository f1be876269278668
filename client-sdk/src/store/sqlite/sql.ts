/** A statement and its parameters. */
export type Statement = readonly [sql: string, parameters: readonly string[]];

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
