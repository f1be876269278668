import * as z from '#schema';
import { nothing, operation } from './operations.ts';

/** The user and the code page of the service's job on the host (contract §7). */
export const hostJobPayload = z.strictObject({
  ccsid: z.int(),
  user: z.string(),
  job: z.string(),
  library: z.string(),
});

/** A file of the service's library in the host's catalog; `ccsid` is null for types without one. */
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

/** The path parameter: the name of the file. */
export const hostTableParams = z.object({ table_name: z.string() });

const both = ['v20', 'current'] as const;

/** Interface.md 4.7: diagnostics of the host. */
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
