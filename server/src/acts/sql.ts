import { columns, int4, text } from '../db/columns.ts';
import type { Queryable } from '../db/types.ts';

/** The kind of a subject that an operator acts on. */
export type ActSubject =
  | 'parked'
  | 'cause'
  | 'quarantine'
  | 'incident'
  | 'flag'
  | 'device'
  | 'driver'
  | 'hold'
  | 'legal-hold'
  | 'invitation'
  | 'operator'
  | 'proof'
  | 'evidence'
  | 'database';

/** One act of the office: who, what, why, before and after (docs/decisions/0115). */
export interface Act {
  /** An operator's id, `machine:NAME` of a program, `link:ID` of a link to evidence, or the name of a command. */
  readonly by: string;
  /** The operation's name, such as `dismissQuarantined`. */
  readonly act: string;
  readonly subject: { readonly kind: ActSubject; readonly id: string };
  /** The stop that it concerns, where it concerns one; `stop` is null for a whole route. */
  readonly place?:
    | { readonly facility: string; readonly route: string; readonly weekEnd: string; readonly stop: number | null }
    | undefined;
  /** The driver whom it concerns, where it concerns one. */
  readonly employee?: string | undefined;
  readonly reason: string;
  /** Values that the act has changed. */
  readonly before: object | null;
  readonly after: object | null;
}

const rows = columns<Act>({
  by: text(({ by }) => by),
  act: text(({ act }) => act),
  subject_kind: text(({ subject }) => subject.kind),
  subject: text(({ subject }) => subject.id),
  facility: text(({ place }) => place?.facility ?? null),
  route_id: text(({ place }) => place?.route ?? null),
  week_end: text(({ place }) => place?.weekEnd ?? null),
  stop_id: int4(({ place }) => place?.stop ?? null),
  employee: text(({ employee }) => employee ?? null),
  reason: text(({ reason }) => reason),
  before: text(({ before }) => jsonOf(before)),
  after: text(({ after }) => jsonOf(after)),
});

const jsonOf = (values: object | null): string | null => (values === null ? null : JSON.stringify(values));

export const recordActs = rows.statement(
  'acts_record',
  `insert into operator_act (act_id, ${rows.names}) select gen_random_uuid(), k.* from ${rows.rows}`,
);

/** Records an act in the transaction that it belongs to. */
export async function recordAct(tx: Queryable, act: Act): Promise<void> {
  await tx.query(recordActs, recordActs.parameters([act]));
}
