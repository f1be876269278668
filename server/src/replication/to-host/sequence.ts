/** Versions of a route within one epoch: DECIMAL(15) leaves this much beside 99,999 epochs. */
const VERSIONS_AN_EPOCH = 10_000_000_000;

/** The host's sequence of a row (RURPSQ and others): it rises with the version, and with each server epoch (I9). */
export function hostSequence(serverEpoch: number, version: number): number {
  return serverEpoch * VERSIONS_AN_EPOCH + version;
}

/** The server epoch in which a row with this sequence was written. */
export function epochOf(sequence: number): number {
  return Math.floor(sequence / VERSIONS_AN_EPOCH);
}

/** The route's version in that epoch. */
export function versionOf(sequence: number): number {
  return sequence % VERSIONS_AN_EPOCH;
}
