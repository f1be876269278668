import { acknowledgeBody, incidentItem, incidentParams, incidentQuery } from '@tailgate/sync-protocol';
import { described } from '../described.ts';
import { pageWords } from './page.ts';

// Ours, for operators: what the server noted.

export const incidentSchemas = [
  described('IncidentQuery', incidentQuery, 'Which incidents; what is given must hold.', {
    state: 'Those that nobody has acknowledged, those that somebody has, or all.',
    kind: 'Such as `chain_broken`; operations.md lists them.',
    employee: 'Of this driver.',
    facility: 'Of a route of this facility.',
    route_id: 'Of this route, whatever the week.',
    from: 'Not before this instant.',
    until: 'Before this instant.',
    ...pageWords,
  }),
  described('IncidentItem', incidentItem, 'Something that a person has to know of.', {
    incident_id: 'Names it.',
    at: 'When it was noted, UTC.',
    kind: 'What happened; there may be more kinds one day.',
    client_id: 'The queue that it is of, where it is of one.',
    employee: 'The driver that it is of, where it is of one.',
    details: 'JSON, as text: what there is to know, by kind. `route` names a route in all of them.',
    state: 'Whether somebody has acknowledged it.',
    acknowledged_at: 'When, UTC.',
    acknowledged_by: 'Who.',
    note: 'In their words.',
  }),
  described('IncidentParams', incidentParams, 'Which incident.', { incident_id: 'As the list names it.' }),
  described('AcknowledgeBody', acknowledgeBody, 'Somebody has seen to it.', {
    by: 'Who.',
    note: 'What they found, or did.',
  }),
];
