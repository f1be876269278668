/** Whether a day, written `2026-11-21`, exists. */
export const isDay = (day: string): boolean => new Date(`${day}T00:00:00Z`).getUTCDate() === +day.slice(8);
