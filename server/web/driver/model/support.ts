import type { Diagnostics } from '@tailgate/client-sdk';

/** Faults that a code has room for. */
const maxTroubles = 3;
/** A code of more characters is too fine for a camera. */
const maxCharacters = 700;

/** The diagnostics in short lines: what a code has room for, and what a person can read out. */
export function supportLines({ status, ...all }: Diagnostics): string[] {
  const counts = (by: Readonly<Record<string, number>>): string =>
    Object.entries(by)
      .map(([employee, n]) => `${employee}:${n}`)
      .join(' ') || '0';
  const at = (ms: number | undefined): string => (ms === undefined ? '-' : new Date(ms).toISOString().slice(0, 19));
  return [
    `app ${all.app} sdk ${all.sdk} protocol ${all.protocol}`,
    `server ${all.server} epoch ${all.epoch ?? '-'}`,
    `taken ${at(all.takenAt)} ahead ${status.clockAheadMs === undefined ? '-' : Math.round(status.clockAheadMs / 1000)}s`,
    `driver ${status.employeeId ?? '-'} ${status.connection} since ${at(status.offlineSince)} storage ${status.storage}`,
    `pending ${counts(status.pending)} files ${counts(status.uploading)} unhosted ${counts(status.unhosted)}`,
    `oldest ${at(status.oldestPendingAt)} awaits ${counts(status.awaitsSignIn)}`,
    ...all.queues.map(
      ({ clientId, employee, waiting, connection, retired }) =>
        `queue ${clientId} ${employee} ${waiting} ${connection}${retired ? ' retired' : ''}`,
    ),
    ...all.scopes.map(
      ({ scope, version, hostedThrough, parkedStops }) =>
        `${scope} v${version} host ${hostedThrough}${parkedStops.length > 0 ? ` parked ${parkedStops.join(' ')}` : ''}`,
    ),
    ...all.troubles.slice(-maxTroubles).map(({ code, at: when }) => `fault ${at(when)} ${code}`),
  ];
}

/** The content of the code: as many whole lines as it has room for. */
export function codeText(lines: readonly string[]): string {
  let text = '';
  for (const line of lines) {
    if (text.length + line.length >= maxCharacters) return text;
    text += `${line}\n`;
  }
  return text;
}
