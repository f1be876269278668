import { createHash, randomFillSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { openExpoDatabase } from './sql-platforms.ts';

/**
 * Runs a program with the globals of React Native on Hermes, without those that some of its releases lack. The language
 * is V8's; `fetch`, sockets and timers are Node's; Expo's modules are stand-ins.
 * @param folder where Expo's databases are
 * @returns the value of `globalThis.result` after the program
 */
export function runLikeHermes(program: string, folder: string, globals: Readonly<Record<string, unknown>>): unknown {
  const context = createContext({
    ...reactNative,
    URL: UrlWithoutParts,
    Blob: BlobWithoutBytes,
    FileReader: DataUrlReader,
    ...globals,
    expo: expoModules(folder),
  });
  runInContext(takeAway, context);
  runInContext(program, context);
  return runInContext('globalThis.result', context);
}

/** The binary types are shared with the platform, as they are on a phone. */
const reactNative = {
  ...{
    ArrayBuffer,
    DataView,
    Uint8Array,
    Int32Array,
    Float64Array,
    TextEncoder,
    AbortController,
    URL,
    URLSearchParams,
  },
  ...{ setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask, atob, btoa, console, WebSocket },
  fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
  performance: { now: () => performance.now() },
  navigator: { product: 'ReactNative' },
};

/** Globals that V8 has in every context, and Hermes lacks, or not in each release. */
const takeAway = `
  const lacking = [
    [globalThis, ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'Iterator', 'SuppressedError', 'DisposableStack']],
    [String.prototype, ['isWellFormed', 'toWellFormed']],
    [Array, ['fromAsync']],
    [Object, ['groupBy']],
    [Map, ['groupBy']],
    [Promise, ['withResolvers', 'try']],
    [Set.prototype, ['union', 'intersection', 'difference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
    [Intl, ['Segmenter', 'DurationFormat', 'ListFormat']],
    [RegExp, ['escape']],
  ];
  for (const [owner, names] of lacking) for (const name of names) delete owner[name];
`;

/** The parts of an address are not implemented in each release of React Native. */
class UrlWithoutParts {
  readonly href: string;

  constructor(url: string) {
    this.href = url;
  }

  toString(): string {
    return this.href;
  }
}

/** React Native makes no blobs of bytes, and reads a blob's bytes by a data URL alone. */
class BlobWithoutBytes {
  readonly #blob: Blob;

  constructor(parts: readonly (string | Blob)[] = [], options?: BlobPropertyBag) {
    if (parts.some((part) => typeof part === 'object' && !(part instanceof Blob)))
      throw new Error('Creating blobs from bytes is not supported');
    this.#blob = new Blob([...parts], options);
  }

  get size(): number {
    return this.#blob.size;
  }

  get type(): string {
    return this.#blob.type;
  }

  slice(start?: number, end?: number): BlobWithoutBytes {
    return new BlobWithoutBytes([this.#blob.slice(start, end)]);
  }

  /** For the reader alone. */
  static async dataUrl(blob: BlobWithoutBytes): Promise<string> {
    const bytes = Buffer.from(await blob.#blob.arrayBuffer());
    return `data:application/octet-stream;base64,${bytes.toString('base64')}`;
  }
}

class DataUrlReader {
  result: string | undefined;
  onload: (() => void) | undefined;

  readAsDataURL(blob: BlobWithoutBytes): void {
    const load = async (): Promise<void> => {
      this.result = await BlobWithoutBytes.dataUrl(blob);
      this.onload?.();
    };
    void load();
  }
}

/** The documented calls of the modules that the recipe for React Native makes, over Node's. Addresses are paths. */
const expoModules = (folder: string) => ({
  'react-native': { AppState: { addEventListener: () => ({ remove: () => undefined }) } },
  'expo-crypto': {
    getRandomValues: (bytes: Uint8Array) => randomFillSync(bytes),
    digest: async (_algorithm: string, bytes: Uint8Array) =>
      Uint8Array.from(createHash('sha256').update(bytes).digest()).buffer,
  },
  'expo-file-system': { File: DiskFile },
  'expo-image-manipulator': {
    SaveFormat: { JPEG: 'jpeg' },
    ImageManipulator: { manipulate: (uri: string) => manipulation(uri, readFileSync(uri)) },
  },
  'expo-sqlite': { openDatabaseAsync: (name: string) => openExpoDatabase(join(folder, name)) },
});

class DiskFile {
  readonly #path: string;

  constructor(uri: string) {
    this.#path = uri;
  }

  open() {
    const file = openSync(this.#path, 'r');
    return {
      offset: 0,
      size: fstatSync(file).size,
      readBytes(length: number): Uint8Array {
        const bytes = new Uint8Array(length);
        return bytes.subarray(0, readSync(file, bytes, 0, length, this.offset));
      },
      close: () => closeSync(file),
    };
  }
}

/** A picture is a text of 20 letters with its width and height, and bytes behind it. */
function manipulation(uri: string, picture: Buffer) {
  const [width = 0, height = 0] = picture.toString('latin1', 0, 20).split(' ').map(Number);
  return {
    resize: (side: { readonly width?: number; readonly height?: number }) => {
      const factor = side.width === undefined ? (side.height ?? 0) / height : side.width / width;
      const head = `${Math.round(width * factor)} ${Math.round(height * factor)}`.padEnd(20);
      const rest = picture.subarray(20, 20 + (picture.length - 20) * factor ** 2);
      return manipulation(`${uri}.smaller`, Buffer.concat([Buffer.from(head), rest]));
    },
    renderAsync: async () => ({
      width,
      height,
      saveAsync: async () => {
        writeFileSync(uri, picture);
        return { uri, width, height };
      },
    }),
  };
}
