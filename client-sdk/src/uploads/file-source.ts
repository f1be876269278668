import { pieceBytes } from './file-store.ts';

/** A file that is read in parts, so that it never has to be in memory as a whole. */
export interface FileSource {
  /** Bytes. */
  readonly size: number;
  /** The bytes from `start` to before `end`. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Called once, after the last read or after a failure. */
  close?(): unknown;
}

/** A file by its address on the device, as cameras and pickers of React Native return it. */
export interface FileAddress {
  readonly uri: string;
}

/** The forms in which a file may be added. */
export type FileInput = Blob | Uint8Array<ArrayBuffer> | FileAddress;

/** Opens the file at an address; for example by expo-file-system. */
export type OpenFile = (uri: string) => FileSource | Promise<FileSource>;

/** @throws TypeError where the input is an address and the app gave no `openFile` */
export async function openInput(input: FileInput, openFile: OpenFile | undefined): Promise<FileSource> {
  if (input instanceof Uint8Array) return { size: input.length, read: async (start, end) => input.slice(start, end) };
  if (!('uri' in input)) return { size: input.size, read: (start, end) => bytesOf(input.slice(start, end)) };
  if (!openFile) throw new TypeError('uri: openUploads needs the option openFile to read a file by its address');
  return openFile(input.uri);
}

/** Reads a whole file piece by piece, and closes it. */
export async function readPieces(source: FileSource, take: (piece: Uint8Array<ArrayBuffer>) => void): Promise<void> {
  try {
    for (let start = 0; start < source.size; start += pieceBytes) {
      const end = Math.min(start + pieceBytes, source.size);
      const piece = await source.read(start, end);
      if (piece.length !== end - start)
        throw new RangeError(`read: ${piece.length} bytes came for those from ${start} to ${end}`);
      take(piece);
    }
  } finally {
    await source.close?.();
  }
}

/** The bytes of a blob. React Native's blobs need a data URL. */
async function bytesOf(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof blob.arrayBuffer === 'function') return new Uint8Array(await blob.arrayBuffer());
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '');
    reader.onerror = () => reject(reader.error ?? new Error('the bytes of a blob cannot be read'));
    reader.readAsDataURL(blob);
  });
  return Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
}
