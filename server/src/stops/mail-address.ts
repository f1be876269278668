import { domainToASCII } from 'node:url';
import { z } from 'zod';

const address = z.email();

/** Whether a mail server would know what to do with it. Domains may be written with umlauts and the like (RFC 5891). */
function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [mailbox, domain] = [text.slice(0, at), text.slice(at + 1)];
  const foreign = /[^\0-\x7f]/.test(domain) && !/[\s\p{Cc}]/u.test(domain);
  return address.safeParse(foreign ? `${mailbox}@${domainToASCII(domain)}` : text).success;
}

/**
 * The addresses that a field holds: people write several into one, with commas, semicolons or blanks between them. A
 * field with a line break holds none: what stands behind it was meant to become a header of the mail.
 */
export function addressesIn(field: string): { valid: string[]; invalid: number } {
  const parts = /\p{Cc}/u.test(field.trim()) ? [field] : field.split(/[,;\s]+/).filter((part) => part !== '');
  const valid = parts.filter(isMailAddress);
  return { valid, invalid: parts.length - valid.length };
}
