import { assetSchemas } from './assets.ts';
import { authSchemas } from './auth.ts';
import { codeSchemas } from './codes.ts';
import { deviceSchemas } from './devices.ts';
import { healthSchemas } from './health.ts';
import { historySchemas } from './history.ts';
import { holdSchemas } from './holds.ts';
import { invitationSchemas } from './invitations.ts';
import { incidentSchemas } from './incidents.ts';
import { opsSchemas } from './ops.ts';
import { parkedSchemas } from './parked.ts';
import { quarantineSchemas } from './quarantine.ts';
import { replicationSchemas } from './replication.ts';
import { reportSchemas } from './reports.ts';
import { routeSchemas } from './routes.ts';
import { stopSchemas } from './stops.ts';

/** Every schema that has words, one list. */
export const describedSchemas = [
  ...authSchemas,
  ...routeSchemas,
  ...stopSchemas,
  ...assetSchemas,
  ...codeSchemas,
  ...reportSchemas,
  ...healthSchemas,
  ...opsSchemas,
  ...parkedSchemas,
  ...holdSchemas,
  ...replicationSchemas,
  ...quarantineSchemas,
  ...incidentSchemas,
  ...deviceSchemas,
  ...invitationSchemas,
  ...historySchemas,
];
