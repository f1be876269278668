import { statement } from '../../db/statement.ts';

/** $1 machine, $2 time, $3 GO, $4 findings as JSON. */
export const saveExamination = statement(
  'examiner_save',
  `insert into host_examination (node, at, go, findings) values ($1, $2, $3, $4)
   on conflict (node) do update set at = excluded.at, go = excluded.go, findings = excluded.findings`,
);

/** Machines without an examination since $1 run no worker any more. */
export const deleteExaminationsBefore = statement(
  'examiner_delete_before',
  'delete from host_examination where at < $1',
);

/** A NO-GO first. */
export const listExaminations = statement(
  'examiner_list',
  'select node, at, go, findings from host_examination order by go, node',
);
