import { domainToASCII } from 'node:url';
import type { Customer } from '@tailgate/sync-protocol';
import { addressesIn } from '../stops/mail-address.ts';

export interface Recipients {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  /** The number of invalid addresses. Logs contain no customer's text, so they are not repeated. */
  readonly invalid: number;
}

/**
 * The recipients of the delivery summary (contract §4, E-mail). By the v20 rules the customer's contact: its e-mail,
 * else the broker's or manager's before it. By the current rules the addresses that the driver recorded get a copy;
 * they are the recipients where the contact has no working address. `to` is empty without any.
 */
export function recipientsOf(
  contact: Pick<Customer['contact'], 'email' | 'contact_email'>,
  recorded: readonly string[],
  paths: 'v20' | 'current',
): Recipients {
  const fields = paths === 'v20' ? [contact.email] : [contact.contact_email, contact.email];
  const contacts = fields.map((field) => mailboxesIn([field]));
  const drivers = mailboxesIn(recorded);
  const invalid = [...contacts, drivers].reduce((sum, list) => sum + list.invalid, 0);
  const contacted = contacts.map(({ valid }) => valid).find((list) => list.length > 0);
  if (!contacted) return { to: drivers.valid, cc: [], invalid };
  const known = new Set(contacted.map(mailboxOf));
  const copies = drivers.valid.filter((address) => !known.has(mailboxOf(address)));
  return { to: contacted, cc: paths === 'v20' ? [] : copies, invalid };
}

/** The one recipient that an operator has named. */
export const onlyTo = (address: string): Recipients => ({ to: [address], cc: [], invalid: 0 });

/** The mailboxes of these fields, each once. */
function mailboxesIn(fields: readonly string[]): { valid: string[]; invalid: number } {
  const all = fields.map(addressesIn);
  const once = new Map(all.flatMap(({ valid }) => valid).map((address) => [mailboxOf(address), address]));
  return { valid: [...once.values()], invalid: all.reduce((sum, { invalid }) => sum + invalid, 0) };
}

/** Equal for two spellings of one mailbox: in lower case, with domains as on the wire. */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`.toLowerCase();
}
