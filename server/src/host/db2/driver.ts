import type { HostValue } from '../files/columns.ts';
import type { HostRow } from '../host.ts';

/** The npm packages by which a connection's process reaches a host. */
export type DriverName = 'ibm_db' | 'odbc';

/** One connection of a driver. Its process answers one request after the other. */
export interface DriverConnection {
  /** The database's own name: `AS` is Db2 for i, `DB2/…` Db2 LUW, `PostgreSQL` a stand-in. */
  readonly database: string;
  query(sql: string, parameters: readonly HostValue[]): Promise<HostRow[]>;
  /** @returns the number of affected rows */
  execute(sql: string, parameters: readonly HostValue[]): Promise<number>;
  begin(): Promise<void>;
  /** Rejects where the host may not have committed. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** @param text the driver's own connection string */
export type OpenConnection = (text: string, statementSeconds: number) => Promise<DriverConnection>;
