import type { Asset } from '../../assets/queries.ts';

/** A file of the envelope. The envelope as a whole is too long for memory. */
interface FilePart {
  readonly asset: Asset;
  readonly head: string;
}

/**
 * The envelope whose `data` contains one data URL for each file (interface.md 4.2), and its length. The length is known
 * before any byte is read, so that a client can detect an incomplete answer.
 */
export function dataUrlEnvelope(message: string, assets: readonly Asset[]) {
  const parts = assets.map((asset, index): FilePart => {
    // A MIME type contains no character that JSON escapes (media-type.ts).
    const head = `${index === 0 ? '' : ','}"data:${asset.mime};charset=utf-8;base64,`;
    return { asset, head };
  });
  const opening = `{"success":true,"message":${JSON.stringify(message)},"data":[`;
  const ending = ']}';
  const length = parts.reduce(
    (sum, { asset, head }) => sum + head.length + base64Length(asset.size) + 1,
    Buffer.byteLength(opening) + ending.length,
  );
  async function* text(read: (asset: Asset) => AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
    yield opening;
    for (const { asset, head } of parts) {
      yield head;
      yield* base64(read(asset));
      yield '"';
    }
    yield ending;
  }
  return { length, text };
}

const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** Base64 encodes three bytes at a time. Remaining bytes are encoded with the next chunk. */
async function* base64(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    yield bytes.toString('base64', 0, whole);
    rest = bytes.subarray(whole);
  }
  yield rest.toString('base64');
}
