import { hostMoment } from '../../host/files/local-time.ts';
import type { Moment } from './contract.ts';

/** A moment in UTC and on the clock of a facility, whole seconds; null where there is none. */
export function momentOf(at: Date | string | null | undefined, zone: string): Moment | null {
  const instant = new Date(at ?? NaN);
  if (Number.isNaN(instant.getTime())) return null;
  const { date, time } = hostMoment(instant, zone);
  const utc = instant.toISOString();
  if (date === '0') return { utc, local: utc.replace(/\.\d+Z$/, '+00:00') };
  const [day, clock] = [date.padStart(8, '0'), time.padStart(6, '0')];
  const local = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${clock.slice(0, 2)}:${clock.slice(2, 4)}:${clock.slice(4)}`;
  const ahead = Math.round((Date.parse(`${local}Z`) - Math.floor(instant.getTime() / 1_000) * 1_000) / 60_000);
  return { utc, local: `${local}${offsetText(ahead)}` };
}

/** @param ahead minutes ahead of UTC */
function offsetText(ahead: number): string {
  const [hours, minutes] = [Math.trunc(Math.abs(ahead) / 60), Math.abs(ahead) % 60];
  return `${ahead < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
