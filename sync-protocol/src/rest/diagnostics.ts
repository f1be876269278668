import * as z from '#schema';
import { nothing, operation } from './operations.ts';

/** As whom and in which code page the service's job runs on the host (contract §7). */
export const hostJobPayload = z.strictObject({
  ccsid: z.int(),
  user: z.string(),
  job: z.string(),
  library: z.string(),
});

/** A file of the service's library as the host's catalog describes it; `ccsid` is null where a type has none. */
export const hostTablePayload = z.strictObject({
  library: z.string(),
  table: z.string(),
  columns: z.array(
    z.strictObject({
      name: z.string(),
      type: z.string(),
      length: z.int(),
      scale: z.int(),
      nullable: z.boolean(),
      ccsid: z.nullable(z.int()),
    }),
  ),
});

/** Path parameter: which file. */
export const hostTableParams = z.object({ table_name: z.string() });

const both = ['v20', 'current'] as const;

/** Interface.md 4.7: what the host says of itself. */
export const diagnosticOperations = {
  readHostJob: operation({
    method: 'GET',
    path: '/health/job-ccsid',
    sets: both,
    access: 'open',
    summary: "The CCSID, user and library of the service's job on the host.",
    message: 'Host job',
    body: nothing,
    query: nothing,
    data: hostJobPayload,
    errors: ['HOST_UNAVAILABLE'],
  }),
  readTableCcsids: operation({
    method: 'GET',
    path: '/health/ccsid/:table_name',
    sets: both,
    access: 'open',
    summary: "The CCSID of each column of one of the service's files on the host.",
    message: 'Host table',
    params: hostTableParams,
    body: nothing,
    query: nothing,
    data: hostTablePayload,
    errors: ['TABLE_NOT_FOUND', 'HOST_UNAVAILABLE'],
  }),
} as const;
