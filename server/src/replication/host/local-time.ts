/** A moment as the host's programs write it: on the clock of the facility. */
export type HostMoment = { date: `${number}`; time: `${number}` };

/** Zeros: never happened. */
export const never: HostMoment = { date: '0', time: '0' };

// Making a formatter costs a thousand times what using it does.
const formatters = new Map<string, Intl.DateTimeFormat>();

/** @param zone IANA name; an unknown one counts as UTC, which is wrong by hours but never loses the row */
export function hostMoment(instant: Date, zone: string): HostMoment {
  const parts = formatterOf(zone).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((candidate) => candidate.type === type)?.value);
  return {
    date: `${part('year') * 10_000 + part('month') * 100 + part('day')}`,
    time: `${part('hour') * 10_000 + part('minute') * 100 + part('second')}`,
  };
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat('en-US', { ...fields, timeZone: isZone(zone) ? zone : 'UTC' });
  formatters.set(zone, formatter);
  return formatter;
}

const fields: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
};

function isZone(zone: string): boolean {
  try {
    return Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== '' && zone !== '';
  } catch {
    return false;
  }
}
