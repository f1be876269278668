/** Whether a zlib stream (RFC 1950) contains these bytes and no more. It holds one part of them. */
export async function inflatesTo(packed: Uint8Array, expected: Uint8Array): Promise<boolean> {
  const stream = new Blob([packed.slice()]).stream().pipeThrough(new DecompressionStream('deflate'));
  const reader = stream.getReader();
  let at = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return at === expected.length;
      const begin = at;
      at += value.length;
      if (at > expected.length || value.some((byte: number, i: number) => byte !== expected[begin + i])) return false;
    }
  } catch {
    // A damaged stream.
    return false;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
