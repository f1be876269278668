import type { Column } from './columns.ts';

// Differences between the databases of a host in the statements that all of them run.

/** Db2 for i, Db2 LUW, and the PostgreSQL stand-in. */
export const dialects = ['db2i', 'db2', 'postgres'] as const;
export type Dialect = (typeof dialects)[number];

export function isDialect(name: string): name is Dialect {
  return dialects.some((known) => known === name);
}

/**
 * Both clauses end a select. Db2 LUW 10.5 has no such clauses: a database setting replaces them (cur_commit,
 * docs/db2.md).
 */
const READ_CLAUSES: { readonly [dialect in Dialect]: { readonly committed: string; readonly unlocked: string } } = {
  db2i: { committed: ' use currently committed', unlocked: ' skip locked data' },
  db2: { committed: '', unlocked: '' },
  postgres: { committed: '', unlocked: '' },
};

/**
 * Reads the last committed rows. It does not wait for other programs, and includes rows that another program is
 * changing.
 */
export function readCommitted(dialect: Dialect, select: string): string {
  return `${select}${READ_CLAUSES[dialect].committed}`;
}

/** Leaves out rows that another program has locked: only for reads that are repeated. */
export function readUnlocked(dialect: Dialect, select: string): string {
  return `${select}${READ_CLAUSES[dialect].unlocked}`;
}

/** The type in DDL and casts. */
export function typeName(dialect: Dialect, column: Column): string {
  switch (column.kind) {
    case 'char':
      // Db2 LUW’s CHAR ends at 255; both Db2s compare VARCHAR with CHAR as if it were padded.
      return dialect !== 'postgres' && column.length > 255 ? `varchar(${column.length})` : `char(${column.length})`;
    case 'decimal':
      return `decimal(${column.precision},${column.scale})`;
    case 'timestamp':
    case 'changedAt':
      return 'timestamp';
    case 'binary':
      return dialect === 'postgres' ? 'bytea' : `varchar(${column.length}) for bit data`;
    case 'identity':
    case 'changeNumber':
      break;
  }
  return 'bigint';
}

/** For keys and guards, whose values came from the host: the column's own type, so that its index is used. */
export function exactCast(dialect: Dialect, column: Column | undefined): string {
  return column === undefined ? '?' : `cast(? as ${typeName(dialect, column)})`;
}

/**
 * For new values. An explicit cast to CHAR(n) cuts a longer text without an error, on Db2 as on PostgreSQL; with one
 * character more the assignment to the column fails with 22001 instead.
 */
export function openCast(dialect: Dialect, column: Column | undefined): string {
  return column?.kind === 'char' ? `cast(? as varchar(${column.length + 1}))` : exactCast(dialect, column);
}
