import { actOperations, actSchemas } from './acts/contract.ts';
import { attentionOperations, attentionSchemas } from './attention/contract.ts';
import { deviceOperations, deviceSchemas } from './devices/contract.ts';
import { drillOperations, drillSchemas } from './drills/contract.ts';
import { doctorOperations, doctorSchemas } from './doctor/contract.ts';
import { evidenceOperations, evidenceSchemas } from './evidence/contract.ts';
import { linkOperations, linkSchemas } from './evidence/links/contract.ts';
import { opsFileOperations } from './files/contract.ts';
import { firstLoadOperations, firstLoadSchemas } from './first-load/contract.ts';
import { searchOperations, searchSchemas } from './search/contract.ts';
import { feedOperations, feedSchemas } from './feed/contract.ts';
import { flagOperations, flagSchemas } from './flags/contract.ts';
import { historyOperations, historySchemas } from './history/contract.ts';
import { holdOperations, holdSchemas } from './holds/contract.ts';
import { incidentOperations, incidentSchemas } from './incidents/contract.ts';
import { invitationOperations, invitationSchemas } from './invitations/contract.ts';
import { legalHoldOperations, legalHoldSchemas } from './legal-holds/contract.ts';
import { oidcOperations, oidcSchemas } from './oidc/contract.ts';
import { operatorOperations, operatorSchemas } from './operators/contract.ts';
import { parkedOperations, parkedSchemas } from './parked/contract.ts';
import { proofOperations, proofSchemas } from './proofs/contract.ts';
import { quarantineOperations, quarantineSchemas } from './quarantine/contract.ts';
import { opsRouteOperations, opsRouteSchemas } from './routes/contract.ts';
import { opsStopOperations, opsStopSchemas } from './stops/contract.ts';
import { reconciliationOperations, reconciliationSchemas } from './reconciliation/contract.ts';
import { shadowOperations, shadowSchemas } from './shadow/contract.ts';
import { replicationOperations, replicationSchemas } from './replication/contract.ts';

/** Every operation of the operators, one table. */
export const opsOperations = {
  ...operatorOperations,
  ...oidcOperations,
  ...actOperations,
  ...attentionOperations,
  ...parkedOperations,
  ...holdOperations,
  ...legalHoldOperations,
  ...replicationOperations,
  ...reconciliationOperations,
  ...shadowOperations,
  ...doctorOperations,
  ...firstLoadOperations,
  ...drillOperations,
  ...quarantineOperations,
  ...incidentOperations,
  ...deviceOperations,
  ...invitationOperations,
  ...historyOperations,
  ...flagOperations,
  ...opsRouteOperations,
  ...opsStopOperations,
  ...proofOperations,
  ...evidenceOperations,
  ...linkOperations,
  ...opsFileOperations,
  ...searchOperations,
  ...feedOperations,
} as const;

/** The words of their schemas for the OpenAPI document. */
export const opsSchemas = [
  ...operatorSchemas,
  ...oidcSchemas,
  ...actSchemas,
  ...attentionSchemas,
  ...parkedSchemas,
  ...holdSchemas,
  ...legalHoldSchemas,
  ...replicationSchemas,
  ...reconciliationSchemas,
  ...shadowSchemas,
  ...doctorSchemas,
  ...firstLoadSchemas,
  ...drillSchemas,
  ...quarantineSchemas,
  ...incidentSchemas,
  ...deviceSchemas,
  ...invitationSchemas,
  ...historySchemas,
  ...flagSchemas,
  ...opsRouteSchemas,
  ...opsStopSchemas,
  ...proofSchemas,
  ...evidenceSchemas,
  ...linkSchemas,
  ...searchSchemas,
  ...feedSchemas,
];
