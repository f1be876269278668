import { domainToASCII } from 'node:url';
import { z } from 'zod';

const address = z.email();

/** Whether a mail server would know what to do with it. Domains may be written with umlauts and the like (RFC 5891). */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [mailbox, domain] = [text.slice(0, at), text.slice(at + 1)];
  const foreign = /[^\0-\x7f]/.test(domain) && !/[\s\p{Cc}]/u.test(domain);
  return address.safeParse(foreign ? `${mailbox}@${domainToASCII(domain)}` : text).success;
}
