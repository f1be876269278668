/** Room for the versions of a route within one epoch: what DECIMAL(15) leaves beside 99,999 epochs. */
const VERSIONS_AN_EPOCH = 10_000_000_000;

/** The host's sequence of a row (RURPSQ and its like): it rises with the version, and with each restored life of the server (I9). */
export function hostSequence(serverEpoch: number, version: number): number {
  return serverEpoch * VERSIONS_AN_EPOCH + version;
}

/** The life of the server in which a row with this sequence was written. */
export function epochOf(sequence: number): number {
  return Math.floor(sequence / VERSIONS_AN_EPOCH);
}

/** The route's version, in that life, at which it was written. */
export function versionOf(sequence: number): number {
  return sequence % VERSIONS_AN_EPOCH;
}
