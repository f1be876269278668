import { parkedItem, parkedParams, parkedQuery, repairAnswer, repairBody, skipBody } from '@tailgate/sync-protocol';
import { described } from '../described.ts';
import { pageWords } from './page.ts';

// Ours, for operators: what the host refuses.

export const parkedSchemas = [
  described('ParkedQuery', parkedQuery, 'Which entries.', {
    state: 'Those that are tried again, those that somebody skipped, or all.',
    ...pageWords,
  }),
  described('ParkedParams', parkedParams, 'Which entry.', { parked_id: 'As the list names it.' }),
  described('ParkedItem', parkedItem, 'What the host refuses. Everything else goes on without it.', {
    parked_id: 'Names the entry.',
    file: 'The file of the host: `RTSTUP` stands for a stop with all of its rows, `RTHDRP` for a route’s own row.',
    key: 'Facility, route, week and stop, or the key of the row, joined by `/`.',
    facility: 'Facility of the route; null where the row belongs to none.',
    route_id: 'The route.',
    week_end: 'Its week.',
    stop_id: 'The stop.',
    version: 'The version that was refused, of the route or of the row.',
    sqlstate: 'As Db2 names the fault; blank for a close that only waits for parked stops.',
    reason: 'The same in the words of the host.',
    payload: 'What was to be written, as JSON; blank where it could not be rendered.',
    attempts: 'How often it has been tried when it was due.',
    parked_at: 'Since when, UTC.',
    next_try_at: 'UTC; null for what was skipped.',
    state: 'Whether it is tried again by itself.',
    skipped_at: 'When somebody skipped it, UTC.',
    skipped_by: 'Who.',
    skip_reason: 'Why, in their words.',
  }),
  described('SkipBody', skipBody, 'A decision, with a name to it.', {
    by: 'Who decides.',
    reason: 'Why the host does without it.',
  }),
  described('RepairBody', repairBody, 'What the stop should say instead.', {
    by: 'Who corrects it, at most 18 characters; the ledger keeps it.',
    stop: 'As in `PUT route/stop`: the fields that are given change. Its `id` must be the stop that is parked.',
  }),
  described('RepairAnswer', repairAnswer, 'What came of it. The host is told within seconds.', {
    parked: 'The entry; it goes away when the host has taken the stop.',
    changed: 'Whether any value of the stop is another now.',
    warnings: 'Remarks, as a driver would get them.',
  }),
];
