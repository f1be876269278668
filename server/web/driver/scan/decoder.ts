import type { ReadResult } from 'zxing-wasm/reader';

/** Reads the barcodes in a picture. */
export interface Decoder {
  /** The texts of the codes in the frame; none where nothing can be read. */
  readonly read: (frame: HTMLVideoElement) => Promise<readonly string[]>;
  readonly close: () => void;
}

/** The formats of shops and depots: article numbers, and the codes of cases and totes. */
const nativeFormats = ['ean_13', 'ean_8', 'upc_a', 'upc_e', 'itf', 'code_128', 'code_39', 'data_matrix', 'qr_code'];
const wasmFormats = ['EAN13', 'EAN8', 'UPCA', 'UPCE', 'ITF', 'Code128', 'Code39', 'DataMatrix', 'QRCode'] as const;

/** Wide enough for the bars of a case at arm's length; more pixels take longer. */
const frameWidth = 960;

/** The browser's own reader where it has one, else the app's. */
export async function openDecoder(): Promise<Decoder> {
  return (await openNative()) ?? openWorker();
}

/** Shape Detection API, https://wicg.github.io/shape-detection-api/#barcode-detection-api. */
interface NativeDetector {
  new (options: { formats: readonly string[] }): {
    detect(frame: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
  };
  getSupportedFormats(): Promise<readonly string[]>;
}

declare global {
  // The browser's own class, which types of the DOM lack.
  var BarcodeDetector: NativeDetector | undefined;
}

async function openNative(): Promise<Decoder | undefined> {
  const Native = globalThis.BarcodeDetector;
  if (!Native) return undefined;
  const supported = await Native.getSupportedFormats().catch((): readonly string[] => []);
  const formats = nativeFormats.filter((format) => supported.includes(format));
  // Some systems have the class, and no reader behind it.
  if (!formats.includes('ean_13')) return undefined;
  const detector = new Native({ formats });
  return {
    read: async (frame) => (await detector.detect(frame)).map(({ rawValue }) => rawValue),
    close: () => undefined,
  };
}

/** The reader in WebAssembly runs in a worker, so that the page draws each of its frames. */
function openWorker(): Decoder {
  // This file is a chunk of its own, and the worker runs the same chunk: see the end of the file.
  const worker = new Worker(import.meta.url, { type: 'module' });
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return {
    read: (frame) =>
      new Promise((resolve, reject) => {
        if (!context || frame.videoWidth === 0) return resolve([]);
        canvas.width = Math.min(frameWidth, frame.videoWidth);
        canvas.height = Math.round((canvas.width * frame.videoHeight) / frame.videoWidth);
        context.drawImage(frame, 0, 0, canvas.width, canvas.height);
        const picture = context.getImageData(0, 0, canvas.width, canvas.height);
        worker.onmessage = ({ data }: MessageEvent<Answer>) =>
          data.fault === undefined ? resolve(data.codes) : reject(new Error(data.fault));
        worker.onerror = (event) => reject(new Error(event.message));
        worker.postMessage(picture, [picture.data.buffer]);
      }),
    close: () => worker.terminate(),
  };
}

interface Answer {
  readonly codes: readonly string[];
  readonly fault?: string;
}

/** In the worker: reads one picture a message. */
function serveReader(scope: DedicatedScope): void {
  const reader = Promise.all([import('zxing-wasm/reader'), import('zxing-wasm/reader/zxing_reader.wasm')]).then(
    ([zxing, wasm]) => {
      const locateFile = (): string => new URL(wasm.default, import.meta.url).href;
      zxing.prepareZXingModule({ overrides: { locateFile }, fireImmediately: false });
      return zxing;
    },
  );
  scope.addEventListener('message', ({ data }: MessageEvent<ImageData>) => {
    void reader
      .then((zxing) => zxing.readBarcodes(data, { formats: [...wasmFormats], tryHarder: true, maxNumberOfSymbols: 8 }))
      .then((found) => scope.postMessage({ codes: found.filter(isSure).map(({ text }) => text) }))
      .catch((error: unknown) => scope.postMessage({ codes: [], fault: String(error) }));
  });
}

const isSure = ({ isValid, text }: ReadResult): boolean => isValid && text !== '';

interface DedicatedScope {
  addEventListener(type: 'message', listener: (event: MessageEvent<ImageData>) => void): void;
  postMessage(answer: Answer): void;
}

declare const self: DedicatedScope;

// A worker has no document.
if (typeof document === 'undefined') serveReader(self);
