/** From this difference on, the driver reads that the phone's clock is wrong; ms. */
const wrongClockMs = 2 * 60_000;
/** A photo as the app stores it, by the experience of full days; bytes. */
const photoBytes = 400_000;
/** With less room the driver reads it at once. */
const fewPhotos = 50;

/** How far the clock is off where that is much: positive ahead, negative behind; ms. */
export const wrongClock = (aheadMs: number | undefined): number | undefined =>
  aheadMs !== undefined && Math.abs(aheadMs) >= wrongClockMs ? aheadMs : undefined;

export interface Room {
  /** How many more photos fit; undefined where the browser does not say. */
  readonly photos: number | undefined;
  /** Whether the browser keeps the data until a person deletes it. */
  readonly isKept: boolean;
}

export function roomOf({ quota, usage }: StorageEstimate, isKept: boolean): Room {
  if (quota === undefined || usage === undefined) return { photos: undefined, isKept };
  return { photos: Math.max(0, Math.floor((quota - usage) / photoBytes)), isKept };
}

export const isShort = ({ photos }: Room): boolean => photos !== undefined && photos < fewPhotos;

/** A large number of photos as a person says it: two figures. */
export function rounded(photos: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, photos))) - 1);
  return Math.floor(photos / step) * step;
}
