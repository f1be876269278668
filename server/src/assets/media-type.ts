import { fileTypeFromBuffer } from 'file-type';
import mime from 'mime';

const unknownType = 'application/octet-stream';

/** RFC 6838 §4.2, restricted names: nothing in them needs escaping in a header, a data URL or JSON. */
const typeName = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** `type/subtype` in lower case, without parameters; undefined where the text is none. */
export function mediaType(text: string): string | undefined {
  const essence = text.replace(/;.*$/s, '').trim().toLowerCase();
  return typeName.test(essence) ? essence : undefined;
}

/** As much of a file's beginning as is looked at; office documents tell their kind after some kilobytes. */
export const sampleBytes = 16 * 1024;

/** What a file is: by its bytes, else by its name's ending (contract §3). */
export async function detectType(sample: Uint8Array, name: string): Promise<string> {
  const sniffed = await sniff(sample);
  return mediaType(sniffed ?? mime.getType(name) ?? unknownType) ?? unknownType;
}

async function sniff(sample: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(sample))?.mime;
  } catch {
    return undefined; // a sample that ends, or lies, in the middle of its own headers: the name decides
  }
}
