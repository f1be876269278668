import type { TextMessage } from '../auth/deps.ts';

/**
 * The text of a message. Short enough for one segment, plain enough for every alphabet of the network. The one-time
 * password is the only word of eight capitals and digits in it (contract §2), so that phones and people find it: no id,
 * no name.
 */
export function textOf({ kind, employee }: TextMessage, code: string | undefined): string {
  if (kind === 'one_time_password')
    return `Your one-time password for the delivery app: ${code}. It is valid for 15 minutes and only once. If you did not ask for it, do nothing.`;
  return `Driver ${employee} has just signed up for the delivery app. If that was not you, tell your dispatcher at once.`;
}
