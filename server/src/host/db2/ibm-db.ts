import { createRequire } from 'node:module';

// The used part of the `ibm_db` package. Its own types are missing where it is not installed, which is no error.

/** This wrapping marks bytes as opposed to text; -3 is the CLI's SQL_VARBINARY, Db2's VARCHAR FOR BIT DATA. */
export type Bytes = { ParamType: 'INPUT'; CType: 'BINARY'; SQLType: -3; Data: Buffer };
export type Parameter = string | null | Bytes;

export type AddonColumn = {
  readonly SQL_DESC_NAME: string;
  /** The CLI's number of the type. */
  readonly SQL_DESC_CONSIZE_TYPE: number;
  readonly SQL_DESC_PRECISION: number;
  readonly SQL_DESC_SCALE: number;
};

export interface AddonResult {
  getColumnMetadataSync(): AddonColumn[];
  fetchAll(): Promise<{ [column: string]: unknown }[]>;
  close(): Promise<void>;
}

export interface AddonStatement {
  execute(parameters: Parameter[]): Promise<AddonResult>;
  /** Resolves with the number of affected rows. */
  executeNonQuery(parameters: Parameter[]): Promise<number>;
  setAttrSync(attribute: number, value: number): boolean;
  close(): Promise<void>;
}

/**
 * Transactions by the synchronous calls only: the others resolve even where the driver has failed (seen in 4.0.1), and
 * a lost delivery would count as delivered.
 */
export interface AddonConnection {
  prepare(sql: string): Promise<AddonStatement>;
  beginTransactionSync(): void;
  commitTransactionSync(): void;
  rollbackTransactionSync(): void;
  /** 17 is SQL_DBMS_NAME. */
  getInfoSync(type: number): unknown;
  close(): Promise<void>;
}

interface IbmDb {
  open(connectionString: string): Promise<AddonConnection>;
}

/** Reads the package from any place where Node finds it (NODE_PATH included). @throws Error from Node and the addon */
export function loadIbmDb(): IbmDb {
  // The addon is built without UNICODE on Linux and sends UTF-8; IBM's client reads this variable when it is loaded.
  process.env['DB2CODEPAGE'] = '1208';
  const load: (name: string) => IbmDb = createRequire(import.meta.url);
  return load('ibm_db');
}
