import { healthPayload, readinessPayload } from '@tailgate/sync-protocol';
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
];
