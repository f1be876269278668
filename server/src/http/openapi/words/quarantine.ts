import {
  dismissBody,
  quarantinedItem,
  quarantineEntry,
  quarantineParams,
  quarantineQuery,
  releaseAnswer,
  releaseBody,
} from '@tailgate/sync-protocol';
import { described } from '../described.ts';
import { pageWords } from './page.ts';

// Ours, for operators: what was sent and could not be applied.

const itemFields = {
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
  received_at: 'UTC; the first time.',
  attempts:
    'How often it came. A REST request with the same content from the same employee counts here, whatever its key; an item of a queue counts once.',
  last_received_at: 'UTC; the latest time. A REST request that is released counts as of then.',
  state: 'Whether anybody has settled it.',
  resolved_at: 'When.',
  resolved_by: 'By whom.',
  note: 'In their words.',
};

export const quarantineSchemas = [
  described('QuarantineQuery', quarantineQuery, 'Which entries.', {
    state: 'Those that wait, those that were settled one way or the other, or all.',
    ...pageWords,
  }),
  described(
    'QuarantinedItem',
    quarantinedItem,
    'What was sent and could not be applied; nothing is thrown away.',
    itemFields,
  ),
  described('QuarantineEntry', quarantineEntry, 'One of them in full.', {
    ...itemFields,
    source: 'How it came: by a queue, by REST, from the office, by a timer.',
    employee_name: 'As the master has it; blank where it has none.',
    device: 'As the phone calls itself; blank for REST.',
    app: 'Which app sent it, and its version.',
    captured_at: 'What the clock of the phone said, UTC; null where it said nothing that can be read.',
    edit_time:
      'The same by our clock: with it the change is ordered. Null where it could not be told: its receipt counts.',
    version: 'The route version that contains it since it was released.',
  }),
  described('QuarantineParams', quarantineParams, 'Which entry.', { quarantine_id: 'As the list names it.' }),
  described('ReleaseBody', releaseBody, 'A decision, with a name to it.', {
    by: 'Who decides.',
    note: 'Why it can be applied now.',
  }),
  described('ReleaseAnswer', releaseAnswer, 'What came of it; the phone hears of it.', {
    item: 'The entry as it is now.',
    changed: 'Whether any value of the stop is another now; false where it was applied before, or later edits stand.',
    warnings: 'Remarks, as the driver would have got them.',
  }),
  described('DismissBody', dismissBody, 'A decision, with a name to it.', {
    by: 'Who decides.',
    reason: 'Why it will not be applied; the driver reads it.',
  }),
];
