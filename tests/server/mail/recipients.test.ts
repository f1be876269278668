import { describe, expect, it } from 'vitest';
import { recipientsOf } from '../../../server/src/mail/recipients.ts';

const both = { contact_email: 'manager@x.example', email: 'store@x.example' };
const none = { contact_email: '', email: '' };

describe('recipients of a delivery mail (contract §4)', () => {
  it.each([
    [
      'the manager first, copies to the recorded',
      both,
      ['a@x.example'],
      'current',
      ['manager@x.example'],
      ['a@x.example'],
    ],
    ['the customer where there is no manager', { ...both, contact_email: '' }, [], 'current', ['store@x.example'], []],
    ['the customer alone by the v20 rules', both, ['a@x.example'], 'v20', ['store@x.example'], []],
    ['the recorded where nobody is on file', none, ['a@x.example'], 'current', ['a@x.example'], []],
    ['the recorded where nobody is on file, v20', none, ['a@x.example'], 'v20', ['a@x.example'], []],
    ['nobody where there is no address', none, [], 'current', [], []],
    [
      'nobody twice, whatever the case',
      both,
      ['MANAGER@x.example', 'a@x.example', 'A@x.example'],
      'current',
      ['manager@x.example'],
      ['A@x.example'],
    ],
    [
      'all of a field that holds several',
      { ...none, email: 'a@x.example; b@x.example' },
      [],
      'v20',
      ['a@x.example', 'b@x.example'],
      [],
    ],
  ] as const)('%s', (_, contact, recorded, paths, to, cc) => {
    expect(recipientsOf(contact, recorded, paths)).toEqual({ to, cc, invalid: 0 });
  });

  it.each(['nobody', 'a@', '@x.example', 'a@b', '<a@x.example>', 'a@x.example\r\nBcc:b', 'a b@'])(
    'leaves out an invalid address: %j',
    (address) => {
      const { to, cc, invalid } = recipientsOf({ ...both, contact_email: address }, [], 'current');
      expect(to.concat(cc)).not.toContain(address);
      expect(invalid).toBeGreaterThan(0);
    },
  );

  it('sends nothing where a recorded address contains a header', () => {
    const { to, cc, invalid } = recipientsOf(both, ['a@x.example\r\nBcc: b@x.example', 'c@x.example'], 'current');
    expect({ to, cc, invalid }).toEqual({ to: ['manager@x.example'], cc: ['c@x.example'], invalid: 1 });
  });

  it('takes the customer where the manager’s address is invalid', () => {
    const recipients = recipientsOf({ ...both, contact_email: 'n/a' }, [], 'current');
    expect(recipients).toEqual({ to: ['store@x.example'], cc: [], invalid: 1 });
  });
});
