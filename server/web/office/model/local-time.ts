/** The instant of a `datetime-local` field, on the clock of this computer; null for a blank one. */
export const instantOf = (local: string): string | null => (local === '' ? null : new Date(local).toISOString());
