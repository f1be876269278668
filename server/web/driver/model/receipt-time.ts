/**
 * When a change was recorded, by this phone's clock: the id of a change is a UUID of version 7, which begins with its
 * time.
 */
export function recordedAt(id: string): number | undefined {
  const hex = id.replaceAll('-', '').slice(0, 12);
  return /^[0-9a-f]{12}$/i.test(hex) && id.charAt(14) === '7' ? Number.parseInt(hex, 16) : undefined;
}
