import type { HostValue } from '../files/columns.ts';
import type { HostRow } from '../host.ts';

// What a line's two ends say to each other: our process asks, the child that holds the connection answers, in order.

export type Db2Request =
  | { readonly ask: 'open'; readonly connection: string; readonly statementSeconds: number }
  | { readonly ask: 'begin' | 'commit' | 'rollback' }
  | { readonly ask: 'query' | 'execute'; readonly sql: string; readonly parameters: readonly HostValue[] };

export type Asked = Db2Request & { readonly id: number };

/** As the driver tells it; what it means is for our side to say. */
export type Failure = {
  readonly message: string;
  readonly sqlstate?: string | undefined;
  readonly sqlcode?: number | undefined;
};

/** The answer to `open` is the database's own name; to `query` its rows; to `execute` a count. */
export type Answer = string | number | HostRow[];

export type Answered =
  { readonly id: number; readonly answer: Answer } | { readonly id: number; readonly failure: Failure };
