/** Whether a day, written `2026-11-21`, exists. */
export const isDay = (day: string): boolean => {
  const date = new Date(`${day}T00:00:00Z`);
  return +date === +date && date.toISOString().startsWith(day);
};
