export type { ExpoDatabase, NodeDatabase, OpDatabase, OpenSql, SqlConnection } from './connection.ts';
export { expoSqlite, nodeSqlite, opSqlite } from './connection.ts';
export type { Statement } from './sql.ts';
export { openSqlite } from './store.ts';
