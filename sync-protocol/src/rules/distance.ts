/** A place in degrees, as numbers or as the decimal texts of the interface. */
export interface Coordinates {
  readonly latitude: string | number;
  readonly longitude: string | number;
}

/** Mean radius of the earth (IUGG), in metres. */
const earthRadius = 6_371_009;

/** The great-circle distance in whole metres; null where one of the places is unknown. The host's 0/0 is no place. */
export function metersBetween(a: Coordinates, b: Coordinates): number | null {
  const [from, to] = [radians(a), radians(b)];
  if (!from || !to) return null;
  const [dLatitude, dLongitude] = [to[0] - from[0], to[1] - from[1]];
  const h = Math.sin(dLatitude / 2) ** 2 + Math.cos(from[0]) * Math.cos(to[0]) * Math.sin(dLongitude / 2) ** 2;
  return Math.round(2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(h))));
}

function radians({ latitude, longitude }: Coordinates): readonly [number, number] | undefined {
  if (isBlank(latitude) || isBlank(longitude)) return undefined;
  const [north, east] = [Number(latitude), Number(longitude)];
  const isPlace = Math.abs(north) <= 90 && Math.abs(east) <= 180 && (north !== 0 || east !== 0);
  return isPlace ? [(north * Math.PI) / 180, (east * Math.PI) / 180] : undefined;
}

const isBlank = (degrees: string | number): boolean => typeof degrees === 'string' && degrees.trim() === '';
