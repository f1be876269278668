import type { Row } from './evidence.ts';
import { FACILITY_BEHIND_MS } from './fixture.ts';

/**
 * The largest difference between a true time and the time that the server measures for it. Each exchange that measures
 * a clock ends within the time limits of a connection (docs/protocol.md, Time), and is off by at most half of it.
 */
export const TOLERANCE_MS = 6_000;

export const isNear = (time: number, truth: number): boolean => Math.abs(time - truth) <= TOLERANCE_MS;

/** The instant of a date YYYYMMDD and a time HHMMSS on the facility's clock; undefined for zeros. */
function instantOf(date: number, time: number): number | undefined {
  if (date === 0 && time === 0) return undefined;
  const [year, month, day] = [Math.floor(date / 10_000), Math.floor(date / 100) % 100, date % 100];
  const [hour, minute, second] = [Math.floor(time / 10_000), Math.floor(time / 100) % 100, time % 100];
  return Date.UTC(year, month - 1, day, hour, minute, second) + FACILITY_BEHIND_MS;
}

/** Of two columns of a row on the host, such as RUEDT and RUETM: `RUE`. */
export const momentIn = (row: Row, columns: string): number | undefined =>
  instantOf(Number(row[`${columns}DT`]), Number(row[`${columns}TM`]));

export const timeText = (ms: number): string => new Date(ms).toISOString();
