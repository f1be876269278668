import { zoneFormatters } from '../../zone-clock.ts';

/** A moment as the host's programs write it: on the clock of the facility. */
export type HostMoment = { date: `${number}`; time: `${number}` };

const formatterOf = zoneFormatters({
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
});

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

/** The instant that a host moment names; undefined for zeros. In the hour that a clock repeats, the first one. */
export function instantOf({ date, time }: { date: string; time: string }, zone: string): Date | undefined {
  if (Number(date) === 0) return undefined;
  const wanted = utcOf(date, time);
  // The zone's offset is known for an instant, not for a wall clock: guess, and correct by what the guess shows there.
  let guess = wanted;
  for (let round = 0; round < 2; round++) {
    const shown = hostMoment(new Date(guess), zone);
    guess += wanted - utcOf(shown.date, shown.time);
  }
  return new Date(guess);
}

function utcOf(date: string, time: string): number {
  const [day, clock] = [Number(date), Number(time)];
  return Date.UTC(
    Math.floor(day / 10_000),
    (Math.floor(day / 100) % 100) - 1,
    day % 100,
    Math.floor(clock / 10_000),
    Math.floor(clock / 100) % 100,
    clock % 100,
  );
}
