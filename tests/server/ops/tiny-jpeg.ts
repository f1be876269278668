/** A grey JPEG of 8 × 6 pixels. */
export const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/wAALCAAGAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AH//Z',
  'base64',
);

const mostOfSegment = 65_533;

/** The same picture of about the size of these bytes, which are in segments that a decoder skips. */
export function jpegWith(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const segments: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += mostOfSegment) {
    const part = bytes.subarray(at, at + mostOfSegment);
    const head = Buffer.from([0xff, 0xef, 0, 0]);
    head.writeUInt16BE(part.length + 2, 2);
    segments.push(head, Buffer.from(part));
  }
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}
