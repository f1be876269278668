import { holdBody, holdItem, holdParams } from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// Ours, for operators: when nothing is written to the host.

export const holdSchemas = [
  described('HoldBody', holdBody, 'From when until when, and why.', {
    by: 'Who decides.',
    reason: 'Why, such as the maintenance that is planned.',
    from: 'Left out: from now on.',
    until: 'Left out: until somebody ends it. A moment that has passed is refused.',
  }),
  described('HoldParams', holdParams, 'Which hold.', { hold_id: 'As the list names it.' }),
  described('HoldItem', holdItem, 'A time in which nothing is written to the host.', {
    hold_id: 'Names the hold.',
    source: '`host` for the switch of the host itself (`PODCTLP`), which only the host ends.',
    from: 'UTC.',
    until: 'UTC; null until somebody ends it.',
    reason: 'Why.',
    by: 'Who said so.',
    in_force: 'Whether it has begun.',
  }),
];
