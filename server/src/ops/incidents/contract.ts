import { blankIsAbsent, nothing, operation, pageMeta } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import { author, blankId, blankInstant, byWords, ofOperators, pageQuery, requiredText, tagged } from '../contract.ts';

// Operators' contract: incidents.

/** Query of GET /api/ops/incidents. Filters combine. */
export const incidentQuery = z.object({
  state: z._default(z.enum(['open', 'acknowledged', 'all']), 'open'),
  /** Such as `chain_broken`. */
  kind: blankIsAbsent(40),
  employee: blankIsAbsent(10),
  facility: blankIsAbsent(5),
  route_id: blankIsAbsent(10),
  from: blankInstant,
  until: blankInstant,
  /** One incident by its id. */
  incident_id: blankId,
  ...pageQuery,
});
export type IncidentQuery = z.infer<typeof incidentQuery>;

export const incidentItem = z.strictObject({
  incident_id: z.string(),
  at: z.iso.datetime(),
  kind: z.string(),
  client_id: z.nullable(z.string()),
  employee: z.nullable(z.string()),
  /** JSON, as text: each kind has its own. */
  details: z.string(),
  state: z.enum(['open', 'acknowledged']),
  acknowledged_at: z.nullable(z.iso.datetime()),
  acknowledged_by: z.nullable(z.string()),
  note: z.nullable(z.string()),
});
export type IncidentItem = z.infer<typeof incidentItem>;

const incidentParams = z.object({ incident_id: z.uuid() });

/** Body of POST …/acknowledge. */
const acknowledgeBody = z.object({ by: author, note: requiredText(500) });

export const incidentOperations = {
  listIncidents: operation({
    ...tagged,
    ...ofOperators,
    method: 'GET',
    path: '/ops/incidents',
    role: 'look',
    summary: 'Incidents that the server recorded for a person, newest first.',
    message: 'Incidents',
    body: nothing,
    query: incidentQuery,
    data: z.array(incidentItem),
    meta: pageMeta,
    errors: [],
  }),
  acknowledgeIncident: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/incidents/:incident_id/acknowledge',
    role: 'repair',
    params: incidentParams,
    summary: 'Acknowledges an incident. The first acknowledgement counts.',
    message: 'Acknowledged',
    body: acknowledgeBody,
    query: nothing,
    data: incidentItem,
    errors: ['INCIDENT_NOT_FOUND'],
  }),
} as const;

export const incidentSchemas = [
  described('IncidentQuery', incidentQuery, 'Filters of incidents; they combine.', {
    state: 'Open ones, acknowledged ones, or all.',
    kind: 'Such as `chain_broken`; operations.md lists them.',
    employee: 'Of this driver.',
    facility: 'Of a route of this facility.',
    route_id: 'Of this route, in any week.',
    from: 'Not before this instant.',
    until: 'Before this instant.',
    incident_id: 'With this id.',
    ...pageWords,
  }),
  described('IncidentItem', incidentItem, 'An event that a person must read.', {
    incident_id: 'The id of the incident.',
    at: 'The time of the record, UTC.',
    kind: 'The kind of event; later versions may add kinds.',
    client_id: 'The queue, if the incident is about one.',
    employee: 'The driver, if the incident is about one.',
    details: 'JSON as text; its members depend on the kind. `route` names a route in all of them.',
    state: 'Open or acknowledged.',
    acknowledged_at: 'The time of the acknowledgement, UTC.',
    acknowledged_by: 'The name of the person who acknowledged it.',
    note: 'The note of that person.',
  }),
  described('IncidentParams', incidentParams, 'The key of an incident.', { incident_id: 'As in the list.' }),
  described('AcknowledgeBody', acknowledgeBody, 'An acknowledgement.', {
    by: byWords,
    note: 'Their finding or action.',
  }),
];
