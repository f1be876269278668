import type { Columns, HostValue } from '../../host/files/columns.ts';
import { inShapes } from '../../host/files/in-shapes.ts';
import { HostError, onFile, type Host, type HostTransaction } from '../../host/host.ts';
import { hostMoment } from '../../host/files/local-time.ts';
import { serviceProgram, stampUser } from '../../host/files/standin-schema.ts';
import type { AuditStamp, HostStatement } from '../../host/files/statements.ts';
import type { HostFileName } from '../../host/files/tables.ts';

/** One statement of a transaction. `rows`: the count that it must affect. */
export interface HostWrite {
  readonly file: HostFileName;
  readonly sql: string;
  readonly values: readonly HostValue[];
  readonly rows: number | 'any';
}

/** Runs all writes in order; false where one did not affect its count. @throws HostError that names the file */
export async function executeAll(tx: HostTransaction, writes: readonly HostWrite[]): Promise<boolean> {
  // One round trip for all statements.
  const counts = await Promise.all(writes.map(({ file, sql, values }) => onFile(file, tx.execute(sql, values))));
  return counts.every((count, index) => {
    const wanted = writes[index]?.rows;
    return wanted === 'any' || wanted === count;
  });
}

/** Runs the writes in a transaction of their own, for files that only the service writes. @throws HostError */
export async function writeOwn(host: Host, writes: readonly HostWrite[]): Promise<void> {
  await host.transaction(async (tx) => {
    if (!(await executeAll(tx, writes))) throw new HostError('40000', 'the host did not take every row');
  });
}

type Put<Row> = (count: number) => HostStatement<{ rows: readonly Row[]; stamp: AuditStamp }>;

/** Writes rows without a comparison. */
export function putAll<Row>(file: HostFileName, put: Put<Row>, rows: readonly Row[], stamp: AuditStamp): HostWrite[] {
  return inShapes(rows).map((part) => {
    const { sql, bind } = put(part.length);
    return { file, sql, values: bind({ rows: part, stamp }), rows: part.length };
  });
}

/** Caches the text for each number of rows. */
export function cachedByCount<Statement>(make: (count: number) => Statement): (count: number) => Statement {
  const made = new Map<number, Statement>();
  return (count) => {
    const known = made.get(count) ?? make(count);
    made.set(count, known);
    return known;
  };
}

export function namesOf<C extends Columns>(columns: C): (keyof C & string)[] {
  return Object.keys(columns).filter((name): name is keyof C & string => name in columns);
}

/** The service's entry in the audit tail. */
export function stampAt(instant: Date, zone: string): AuditStamp {
  return { user: stampUser, program: serviceProgram, ...hostMoment(instant, zone) };
}
