import type { HostValue } from '../files/columns.ts';
import type { DriverName } from './driver.ts';
import type { HostRow } from '../host.ts';

// Messages between the server and the process of a connection: the server sends requests, the process answers in order.

export type Db2Request =
  | {
      readonly kind: 'open';
      readonly driver: DriverName;
      readonly connection: string;
      readonly statementSeconds: number;
    }
  | { readonly kind: 'begin' | 'commit' | 'rollback' }
  | { readonly kind: 'query' | 'execute'; readonly sql: string; readonly parameters: readonly HostValue[] };

export type RequestMessage = Db2Request & { readonly id: number };

/** The driver's error; the server's side interprets it. */
export type Failure = {
  readonly message: string;
  readonly sqlstate?: string | undefined;
  readonly sqlcode?: number | undefined;
};

/** The answer to `open` is the database's own name; to `query` its rows; to `execute` a count. */
export type Answer = string | number | HostRow[];

export type AnswerMessage =
  { readonly id: number; readonly answer: Answer } | { readonly id: number; readonly failure: Failure };
