import { pageMeta, quarantinedItem, quarantineQuery } from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// Ours, for the office.

export const opsSchemas = [
  described('Page', pageMeta, 'Where a list goes on.', {
    next_cursor: 'To be sent as `cursor`; null on the last page.',
  }),
  described('QuarantineQuery', quarantineQuery, 'Which entries.', {
    state: 'Those that wait, those that were settled one way or the other, or all.',
    limit: '1 to 500, else 100.',
    cursor: '`meta.next_cursor` of the page before.',
  }),
  described('QuarantinedItem', quarantinedItem, 'What was sent and could not be applied; nothing is thrown away.', {
    quarantine_id: 'Names the entry.',
    id: "The mutation's own id.",
    client_id: 'The queue it came by; null for REST.',
    seq: 'Its place in that queue.',
    employee: 'Who sent it.',
    facility: 'As sent.',
    route_id: 'As sent.',
    week_end: 'As sent.',
    stop_id: 'As sent, where it could be read.',
    name: 'What it wanted, such as `stop.update`.',
    code: 'Why it was refused; one of the error codes.',
    reason: 'The same in words.',
    details: 'Each fault with its path.',
    body: 'As it came.',
    body_encoding: '`base64` where the bytes are no UTF-8.',
    received_at: 'UTC.',
    state: 'Whether anybody has settled it.',
    resolved_at: 'When.',
    resolved_by: 'By whom.',
    note: 'In their words.',
  }),
  described('Fault', quarantinedItem.shape.details.def.element, 'What is wrong at one place.', {
    path: 'Dotted, such as `stops.0.updates.status`.',
    message: 'For people.',
  }),
];
