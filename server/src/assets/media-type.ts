import { fileTypeFromBuffer } from 'file-type';
import mime from 'mime';

const unknownType = 'application/octet-stream';

/** RFC 6838 §4.2, restricted names: safe in a header, a data URL and JSON without escapes. */
const typeName = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Returns `type/subtype` in lower case, without parameters; undefined for any other text. */
export function mediaType(text: string): string | undefined {
  const essence = text.replace(/;.*$/s, '').trim().toLowerCase();
  return typeName.test(essence) ? essence : undefined;
}

/** The part of a file's beginning that is examined. Office documents show their type after some kilobytes. */
export const sampleBytes = 16 * 1024;

/** Detects a file's type by its bytes, else by the ending of its name (contract §3). */
export async function detectType(sample: Uint8Array, name: string): Promise<string> {
  const sniffed = await sniff(sample);
  return mediaType(sniffed ?? mime.getType(name) ?? unknownType) ?? unknownType;
}

async function sniff(sample: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(sample))?.mime;
  } catch {
    return undefined; // a sample with broken headers: the name decides
  }
}
