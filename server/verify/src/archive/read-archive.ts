import { Fault } from '../fault.ts';
import { behindSums, members } from '../format.ts';
import type { ByteReader } from './byte-reader.ts';
import { crc32 } from './crc32.ts';
import {
  archiveEnd,
  descriptor,
  descriptorLength,
  directorySignature,
  lastBlock,
  localHeader,
  localLength,
  localSignature,
  longestBlock,
  type Entry,
  type Known,
} from './headers.ts';

/** Takes the content of a member, part by part. */
export type Sink = (bytes: Uint8Array) => void;

const longestName = 200;
/** A pack of 400 stops has some thousand files. */
const maxMembers = 20_000;

/** The names that the format has: no path leaves the folder, and no program is among them. */
const knownName =
  /^(mimetype|evidence\.pdf|pack\.json|SHA256SUMS(\.note)?|VERIFY\.txt|files\/[A-Za-z0-9_-]+(\.[a-z0-9]+)?|(log|times|META-INF)\/[A-Za-z0-9_-]+(\.[A-Za-z0-9-]+)*)$/;

/**
 * Reads an archive from front to back. Every byte is a member's content, or a header that follows from the members: an
 * archive with another byte is refused. Nothing is compressed, so it holds no more than its own length.
 *
 * @param open is called at the beginning of each member
 * @throws Fault
 */
export async function readArchive(reader: ByteReader, open: (name: string) => Sink): Promise<Entry[]> {
  const entries: Entry[] = [];
  const names = new Set<string>();
  for (;;) {
    const offset = reader.offset;
    const signature = await reader.take(4).catch((error: unknown) => {
      throw offset === 0 && error instanceof Fault ? new Fault('not-a-pack', '0') : error;
    });
    const kind = new DataView(signature.buffer).getUint32(0, true);
    if (kind !== localSignature) {
      if (offset === 0) throw new Fault('not-a-pack', '0');
      if (kind !== directorySignature) throw new Fault('header', String(offset));
      await readEnd(reader, { entries, offset, signature });
      return entries;
    }
    const { name, text, known } = await readLocal(reader, offset);
    if (entries.length === 0 && text !== members.type) throw new Fault('not-a-pack', text);
    if (names.has(text)) throw new Fault('duplicate', text);
    if (names.has(members.sums) !== behindSums.has(text)) throw new Fault('order', text);
    if (entries.length >= maxMembers) throw new Fault('too-large', text);
    names.add(text);
    entries.push(await readMember(reader, { name, text, known, offset }, open(text)));
  }
}

interface Local {
  readonly name: Uint8Array;
  readonly text: string;
  readonly known: Known | undefined;
}

async function readLocal(reader: ByteReader, offset: number): Promise<Local> {
  const rest = await reader.take(localLength - 4);
  const view = new DataView(rest.buffer);
  const length = view.getUint16(22, true);
  if (length > longestName) throw new Fault('header', String(offset));
  const name = await reader.take(length);
  const text = new TextDecoder('latin1').decode(name);
  if (!knownName.test(text)) throw new Fault('name', text);
  const isStreamed = view.getUint16(4, true) !== 0 && view.getUint16(2, true) % 16 === 8;
  const known = isStreamed ? undefined : { crc: view.getUint32(10, true), size: view.getUint32(18, true) };
  const expected = localHeader(name, known).subarray(4, localLength);
  if (!equal(rest, expected)) throw new Fault('header', text);
  return { name, text, known };
}

async function readMember(
  reader: ByteReader,
  { name, text, known, offset }: Local & { readonly offset: number },
  sink: Sink,
): Promise<Entry> {
  const begin = reader.offset;
  let [crc, size] = [0, 0];
  const take = (bytes: Uint8Array): void => {
    crc = crc32(bytes, crc);
    size += bytes.length;
    sink(bytes);
  };
  if (known) await reader.pass(known.size, take);
  else await readBlocks(reader, text, take);
  if (known && known.crc !== crc) throw new Fault('crc', text);
  const entry = { name, offset, size, crc, isStreamed: known === undefined, packed: reader.offset - begin };
  if (!known && !equal(await reader.take(descriptorLength), descriptor(entry))) throw new Fault('crc', text);
  return entry;
}

/** Stored blocks alone: a compressed one could hold any number of bytes. */
async function readBlocks(reader: ByteReader, name: string, take: Sink): Promise<void> {
  for (;;) {
    const head = await reader.take(lastBlock.length);
    if (equal(head, lastBlock)) return;
    const view = new DataView(head.buffer);
    const length = view.getUint16(1, true);
    const isStored = head[0] === 0 && length > 0 && (length ^ view.getUint16(3, true)) === longestBlock;
    if (!isStored) throw new Fault('compressed', name);
    await reader.pass(length, take);
  }
}

interface End {
  readonly entries: readonly Entry[];
  /** The place of the directory, and its first bytes. */
  readonly offset: number;
  readonly signature: Uint8Array;
}

async function readEnd(reader: ByteReader, { entries, offset, signature }: End): Promise<void> {
  let before = signature;
  for (const part of archiveEnd(entries, offset)) {
    const bytes = await reader.take(part.length - before.length);
    if (!equal(before, part.subarray(0, before.length)) || !equal(bytes, part.subarray(before.length)))
      throw new Fault('directory', String(reader.offset - part.length));
    before = new Uint8Array(0);
  }
  if (!(await reader.isAtEnd())) throw new Fault('trailing', String(reader.offset));
}

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);
