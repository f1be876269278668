import {
  healthPayload,
  hostJobPayload,
  hostTableParams,
  hostTablePayload,
  readinessPayload,
} from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// Interface.md 4.7 with contract §7.

export const healthSchemas = [
  described('Health', healthPayload, 'The server runs.', {
    version: 'Of the server.',
    uptime_s: 'Seconds since its start.',
  }),
  described('Dependency', readinessPayload.def.valueType, 'Something that the server leans on.', {
    ok: 'Whether it answers.',
    required: 'Whether the server takes no requests without it.',
  }),
  described('HostJob', hostJobPayload, 'As what the service works on the host.', {
    ccsid: 'Coded character set of the job.',
    user: 'The current user.',
    job: 'The name of the job or session.',
    library: 'Where the files of the service lie.',
  }),
  described('HostTable', hostTablePayload, "A file of the service's library.", {
    library: 'Where it lies.',
    table: 'Its name.',
    columns: 'In the order of the file.',
  }),
  described('HostColumn', hostTablePayload.shape.columns.def.element, 'A column, as the catalog of the host has it.', {
    name: 'Its name.',
    type: 'Its SQL type.',
    length: 'In characters, digits or bytes, as the type counts.',
    scale: 'Decimal places.',
    nullable: 'Whether it may be null.',
    ccsid: 'Coded character set; null where the type has none.',
  }),
  described('HostTableName', hostTableParams, 'Which file.', {
    table_name: "A file of the service's library, such as `RTSTUP`.",
  }),
];
