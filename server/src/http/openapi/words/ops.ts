import { flaggedChange, flagQuery, pageMeta, quarantinedItem } from '@tailgate/sync-protocol';
import { described } from '../described.ts';
import { pageWords } from './page.ts';

// Ours, for the office.

export const opsSchemas = [
  described('Page', pageMeta, 'Where a list goes on.', {
    next_cursor: 'To be sent as `cursor`; null on the last page.',
  }),
  described('FlagQuery', flagQuery, 'Which changes; what is given must hold.', {
    facility: 'Of this facility.',
    route_id: 'Of this route, whatever the week.',
    code: 'With a warning of this code, such as `after_close`.',
    ...pageWords,
  }),
  described('FlaggedChange', flaggedChange, 'What was taken in although a person should know something about it.', {
    id: "The mutation's own id.",
    facility: 'Facility of the route.',
    route_id: 'The route.',
    week_end: 'Its week.',
    stop_id: 'The stop.',
    version: 'The route version that contains it.',
    source: 'How it came: by a queue, by REST, from the office, by a timer.',
    employee: 'Who sent it.',
    edit_time: 'When it was recorded, by our clock, UTC.',
    received_at: 'UTC.',
    warnings: 'What there is to know.',
  }),
  described('Fault', quarantinedItem.shape.details.def.element, 'What is wrong at one place.', {
    path: 'Dotted, such as `stops.0.updates.status`.',
    message: 'For people.',
  }),
];
