import { domainToASCII } from 'node:url';
import { z } from 'zod';

const address = z.email();

/** Whether a mail server accepts the address. Domains may have umlauts and the like (RFC 5891). */
function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [mailbox, domain] = [text.slice(0, at), text.slice(at + 1)];
  const foreign = /[^\0-\x7f]/.test(domain) && !/[\s\p{Cc}]/u.test(domain);
  return address.safeParse(foreign ? `${mailbox}@${domainToASCII(domain)}` : text).success;
}

/**
 * The addresses in a field, which people separate with commas, semicolons or blanks. A field with a line break has
 * none: the text behind it could become a header of the mail.
 */
export function addressesIn(field: string): { valid: string[]; invalid: number } {
  const parts = /\p{Cc}/u.test(field.trim()) ? [field] : field.split(/[,;\s]+/).filter((part) => part !== '');
  const valid = parts.filter(isMailAddress);
  return { valid, invalid: parts.length - valid.length };
}
