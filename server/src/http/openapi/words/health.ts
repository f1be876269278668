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
    version: 'Version of the server.',
    uptime_s: 'Seconds since the start of the server.',
  }),
  described('Dependency', readinessPayload.def.valueType, 'A dependency of the server.', {
    ok: 'Whether the dependency answers.',
    required: 'Whether the server needs it to accept requests.',
  }),
  described('HostJob', hostJobPayload, 'The identity of the service on the host.', {
    ccsid: 'Coded character set of the job.',
    user: 'The current user.',
    job: 'The name of the job or session.',
    library: 'The library of the service files.',
  }),
  described('HostTable', hostTablePayload, "A file of the service's library.", {
    library: 'Library of the file.',
    table: 'Name of the file.',
    columns: 'Columns in the order of the file.',
  }),
  described('HostColumn', hostTablePayload.shape.columns.def.element, 'A column in the catalog of the host.', {
    name: 'Name of the column.',
    type: 'SQL type.',
    length: 'Length in characters, digits or bytes, by type.',
    scale: 'Decimal places.',
    nullable: 'Whether the column accepts null.',
    ccsid: 'Coded character set; null for types without one.',
  }),
  described('HostTableName', hostTableParams, 'The name of a file.', {
    table_name: "A file of the service's library, such as `RTSTUP`.",
  }),
];
