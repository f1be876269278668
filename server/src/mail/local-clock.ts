import { knownZone, zoneFormatters } from '../runtime/zone-clock.ts';

/**
 * A moment in the form of the facility's people, such as `Fri, Nov 20, 2026, 10:05 AM CST`; blank where there is none.
 * @param zone IANA name; where it names no zone the time is UTC, and marked as such
 */
export function clockOf(instant: string | null | undefined, zone: string): string {
  const moment = new Date(instant ?? '');
  // The narrow blank before AM and PM is a box in some mail programs.
  return Number.isNaN(moment.getTime()) ? '' : formatterOf(zone).format(moment).replaceAll('\u202f', ' ');
}

const formatterOf = zoneFormatters({
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** The zone in words, such as `Central Time, America/Chicago`; `UTC` where unknown. */
export function zoneName(zone: string): string {
  const known = knownZone(zone);
  if (known === 'UTC') return known;
  const name = nameFormatterOf(known)
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value;
  return [name, known].filter(Boolean).join(', ');
}

const nameFormatterOf = zoneFormatters({ timeZoneName: 'longGeneric' });
