import { nothing, operation, pageMeta } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import { ofOperators, pageQuery, tagged } from '../contract.ts';

// Operators' contract: restores of backups on trial.

/** Query of GET /api/ops/restore-drills. */
export const drillsQuery = z.object(pageQuery);
export type DrillsQuery = z.infer<typeof drillsQuery>;

const drillFinding = z.strictObject({
  check: z.enum(['files', 'recovery', 'migrations', 'epoch', 'contents', 'chains']),
  ok: z.boolean(),
  says: z.string(),
});
/** One check of a restored backup. */
export type DrillFinding = z.infer<typeof drillFinding>;
export const drillFindings = z.array(drillFinding);

const drill = z.strictObject({
  drill_id: z.uuid(),
  at: z.iso.datetime(),
  backup: z.string(),
  backup_at: z.nullable(z.iso.datetime()),
  ok: z.boolean(),
  seconds: z.int(),
  findings: drillFindings,
});
/** A restore of a backup on trial. */
export type DrillItem = z.infer<typeof drill>;

export const drillOperations = {
  listDrills: operation({
    ...tagged,
    ...ofOperators,
    method: 'GET',
    path: '/ops/restore-drills',
    role: 'look',
    summary: 'Restores of backups on trial (`npm run ops -- restore-drill`), the newest first.',
    message: 'Restore drills',
    body: nothing,
    query: drillsQuery,
    data: z.array(drill),
    meta: pageMeta,
    errors: [],
  }),
} as const;

export const drillSchemas = [
  described('DrillsQuery', drillsQuery, 'Pages of the list.', pageWords),
  described('RestoreDrill', drill, 'A restore of a backup on trial.', {
    drill_id: 'Id of the drill.',
    at: 'Its start, UTC.',
    backup: 'The name of the backup.',
    backup_at: 'The start of the backup, UTC; null where it cannot be read.',
    ok: 'Whether every check has succeeded.',
    seconds: 'Its duration.',
    findings: 'The checks, in order. After damaged files or a failed recovery the others are absent.',
  }),
  described('DrillFinding', drillFinding, 'One check of a restored backup.', {
    check:
      '`files` against the manifest · `recovery` by PostgreSQL · `migrations` of the release · `epoch` of the servers · `contents`: changes from before the backup · `chains` of the queues.',
    ok: 'Whether it has succeeded.',
    says: 'What is so, in a sentence.',
  }),
];
