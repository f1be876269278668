/** The list of one warning, as far as a person has had it before them. */
export interface Shown {
  readonly code: string;
  /** The receipt of the newest change of the list at that time, ISO 8601. */
  readonly through: string;
}

/**
 * The part of a list that a review marks as read. The list goes on by itself; changes that came meanwhile count once the
 * operator asks for them.
 *
 * @param newest the receipt of the newest change of the list now; undefined while there is none
 */
export function shownOf(before: Shown | undefined, code: string, newest: string | undefined): Shown | undefined {
  if (before?.code === code) return before;
  return newest === undefined ? undefined : { code, through: newest };
}

/** Whether a change came after the part that was shown. */
export const isNewer = ({ through }: Shown, received_at: string): boolean =>
  Date.parse(received_at) > Date.parse(through);
