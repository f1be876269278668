export function isZone(zone: string): boolean {
  try {
    Intl.DateTimeFormat('en-US', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The zone itself, or UTC for an unknown name: wrong by hours, but nothing is lost. */
export const knownZone = (zone: string): string => (isZone(zone) ? zone : 'UTC');

/**
 * Caches formatters of one kind by zone: making one costs a thousand times its use. @returns takes an IANA name; an
 * unknown one counts as UTC
 */
export function zoneFormatters(fields: Intl.DateTimeFormatOptions): (zone: string) => Intl.DateTimeFormat {
  const formatters = new Map<string, Intl.DateTimeFormat>();
  return (zone) => {
    const known = formatters.get(zone);
    if (known !== undefined) return known;
    const formatter = new Intl.DateTimeFormat('en-US', { ...fields, timeZone: knownZone(zone) });
    formatters.set(zone, formatter);
    return formatter;
  };
}
