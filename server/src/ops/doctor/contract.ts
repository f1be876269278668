import { nothing, operation } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { ofOperators, tagged } from '../contract.ts';

// Operators' contract: whether the host is set up for the service.

const hostFinding = z.strictObject({
  check: z.string(),
  level: z.enum(['go', 'attention', 'unknown', 'no_go']),
  says: z.string(),
  todo: z.string(),
});

const hostExamination = z.strictObject({
  node: z.string(),
  at: z.iso.datetime(),
  go: z.boolean(),
  findings: z.array(hostFinding),
});
export type HostExamination = z.infer<typeof hostExamination>;

const askedWorkers = z.strictObject({ workers: z.int() });

const ofDoctor = { ...ofOperators, path: '/ops/doctor', body: nothing, query: nothing, errors: [] } as const;

export const doctorOperations = {
  readDoctor: operation({
    ...tagged,
    ...ofDoctor,
    method: 'GET',
    role: 'look',
    summary:
      'The doctor’s last findings at the host, by the machine of each worker: GO or NO-GO, a line for each check.',
    message: 'Examinations of the host',
    data: z.array(hostExamination),
  }),
  askDoctor: operation({
    ...ofDoctor,
    method: 'POST',
    role: 'admin',
    summary:
      'Asks each worker to examine the host now: about fifty questions to its catalog, which change no row. Requests during an examination join it. The results are in GET /api/ops/doctor some seconds later.',
    message: 'The workers are asked',
    data: askedWorkers,
  }),
} as const;

export const doctorSchemas = [
  described(
    'HostExamination',
    hostExamination,
    'The doctor’s short form, as a worker runs it at its start and daily.',
    {
      node: 'The machine of the worker.',
      at: 'The end of the examination, UTC.',
      go: 'Whether no check is a NO-GO.',
      findings: 'A line for each check, in order. Where the host cannot be reached, `connection` is the only one.',
    },
  ),
  described('HostFinding', hostFinding, 'One check of the host.', {
    check: 'Its name, as in the table of docs/adopting.md.',
    level:
      '`go` · `attention`: it works, and a person looks at it · `unknown`: the host did not tell · `no_go`: correct it before the first route.',
    says: 'What is so, in a sentence.',
    todo: 'What to do; blank where there is nothing to do.',
  }),
  described('AskedWorkers', askedWorkers, 'The workers that were asked.', {
    workers: 'Workers with a recent heartbeat; 0: nothing comes of the request.',
  }),
];
