import { deviceItem, deviceParams, deviceQuery, driverParams, endingBody, unregistered } from '@tailgate/sync-protocol';
import { described } from '../described.ts';
import { pageWords } from './page.ts';

// Ours, for operators: what is still on the phones.

export const deviceSchemas = [
  described('DeviceQuery', deviceQuery, 'Which queues; what is given must hold.', {
    state: '`pending`: with work. `silent`: with work, and not heard of for a while.',
    employee: 'Of this driver.',
    silent_minutes: 'How long that while is, 60 unless asked otherwise.',
    ...pageWords,
  }),
  described(
    'DeviceItem',
    deviceItem,
    'A queue: one driver on one installation of the app. A shared phone has several.',
    {
      client_id: 'Names the queue.',
      employee: 'Whose it is.',
      employee_name: 'As the master has it; blank where it has none.',
      device: 'As the phone calls itself.',
      app: 'The app and its version.',
      sdk: 'The SDK and its version.',
      pending: 'Changes and files that it held and had not brought, when it was heard of last.',
      oldest_pending_at: 'When the oldest of them was recorded, by the clock of the phone, UTC.',
      silent: 'With work, and not heard of for a while.',
      last_seq: 'How many changes of this queue have come.',
      quarantined: 'How many of them wait for a person.',
      signed_in: 'Whether its driver has a session, on whatever device.',
      created_at: 'When it was first heard of, UTC.',
      last_seen_at: 'When it was heard of last, UTC, to the minute.',
      revoked_at: 'When an operator ended it, UTC.',
      revoked_by: 'Who.',
      revoke_reason: 'Why, in their words.',
      held: 'Its driver was unregistered: what it brings goes to quarantine. Otherwise a revoked queue brings nothing.',
    },
  ),
  described('DeviceParams', deviceParams, 'Which queue.', { client_id: 'As the list names it.' }),
  described('DriverParams', driverParams, 'Which driver.', { employee: 'Their employee id.' }),
  described('EndingBody', endingBody, 'A decision, with a name to it.', {
    by: 'Who decides.',
    reason: 'Why, such as a phone that was stolen.',
  }),
  described('Unregistered', unregistered, 'A driver who may sign up anew.', {
    employee: 'Their employee id.',
    unregistered_at: 'UTC.',
  }),
];
