/** Whether a day, written `2026-11-21`, exists. React Native's engine reads month 13 as the next year's January. */
export function isDay(day: string): boolean {
  const date = new Date(day); // UTC, since there is no time
  return date.getUTCDate() === +day.slice(8) && date.getUTCMonth() + 1 === +day.slice(5, 7);
}
