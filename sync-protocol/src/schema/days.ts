/** Whether a day such as `2026-11-21` exists. React Native's engine parses month 13 as the next year's January. */
export function isDay(day: string): boolean {
  const date = new Date(day); // UTC, because the text has no time
  return date.getUTCDate() === +day.slice(8) && date.getUTCMonth() + 1 === +day.slice(5, 7);
}
