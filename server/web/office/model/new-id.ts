/** A random UUID (version 4). `crypto.randomUUID` is missing on plain HTTP, where an office may run the console. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, place) => (byte & keep(place)) | set(place)).map((byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const keep = (place: number): number => (place === 6 ? 0x0f : place === 8 ? 0x3f : 0xff);
const set = (place: number): number => (place === 6 ? 0x40 : place === 8 ? 0x80 : 0);
