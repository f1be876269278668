/**
 * A moment as people at the facility read it, such as `Fri, Nov 20, 2026, 10:05 AM CST`; blank where there is none.
 * @param zone IANA name; where it names no zone the time is UTC, and says so
 */
export function clockOf(instant: string | null | undefined, zone: string): string {
  const moment = new Date(instant ?? '');
  return Number.isNaN(moment.getTime()) ? '' : formatterOf(zone).format(moment);
}

// Making a formatter costs a thousand times what using it does.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat('en-US', { ...fields, timeZone: isZone(zone) ? zone : 'UTC' });
  formatters.set(zone, formatter);
  return formatter;
}

const fields: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
};

function isZone(zone: string): boolean {
  try {
    return zone !== '' && Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
