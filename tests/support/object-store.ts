import { once } from 'node:events';
import { readdir, utimes } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import S3rver from 's3rver';
import { S3Store } from '../../server/src/object-store/s3-store.ts';
import { parseStoreAddress } from '../../server/src/setting-values.ts';
import { atFileEnd } from './file-end.ts';
import { temporaryFolder } from './temporary-folder.ts';

// An S3-compatible store in this process, behind a link that can fail.

/**
 * What the link does with a request: `busy` answers 503, `barred` answers 403, `cut` ends the connection in the middle of the body or of the
 * answer, `silent` answers never, `held` answers only after `release`.
 */
export type Fault = 'busy' | 'barred' | 'cut' | 'silent' | 'held';

const bucket = 'photos';
/** The keys of s3rver's own, which it accepts by default. */
const keys = 'S3RVER:S3RVER';
const objectFile = '._S3rver_object';

export class TestStore {
  readonly #folder: string;
  readonly #port: number;
  readonly #held: (() => void)[] = [];
  readonly #link = createServer((incoming, outgoing) => this.#forward(incoming, outgoing));
  /** The fault of each request; undefined forwards it. */
  fault: (request: IncomingMessage) => Fault | undefined = () => undefined;
  /** Method and key of each request. */
  readonly requests: string[] = [];

  constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async start(): Promise<TestStore> {
    const folder = await temporaryFolder();
    const server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      directory: folder,
      silent: true,
      configureBuckets: [{ name: bucket }],
    });
    const { port } = await server.run();
    const store = new TestStore(folder, port);
    store.#link.listen(0, '127.0.0.1');
    await once(store.#link, 'listening');
    atFileEnd(async () => {
      store.release();
      store.#link.closeAllConnections();
      store.#link.close();
      await server.close();
    });
    return store;
  }

  /** As in `S3_URL`. */
  get url(): string {
    const address = this.#link.address();
    if (address === null || typeof address === 'string') throw new Error('the link does not listen');
    return `http://${keys}@127.0.0.1:${address.port}/${bucket}?region=eu-central-1`;
  }

  /** A client of the product. */
  open(timeouts?: ConstructorParameters<typeof S3Store>[1]): S3Store {
    const address = parseStoreAddress(this.url);
    if (!address) throw new Error(`no address of a store: ${this.url}`);
    const store = new S3Store(address, timeouts);
    atFileEnd(async () => store.close());
    return store;
  }

  /** All keys in order. */
  async keys(): Promise<string[]> {
    const folder = join(this.#folder, bucket);
    const files = await readdir(folder, { recursive: true });
    return files
      .filter((file) => file.endsWith(objectFile))
      .map((file) => file.slice(0, -objectFile.length))
      .toSorted();
  }

  /** Sets the time at which the store received an object. */
  async date(key: string, at: Date): Promise<void> {
    for (const end of [objectFile, '._S3rver_metadata.json'])
      await utimes(join(this.#folder, bucket, `${key}${end}`), at, at).catch(() => undefined);
  }

  /** Answers held requests. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  get held(): number {
    return this.#held.length;
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url: path = '/', headers } = incoming;
    this.requests.push(`${method} ${decodeURIComponent(path.slice(bucket.length + 2).split('?')[0] ?? '')}`);
    const fault = this.fault(incoming);
    if (fault === 'busy') {
      incoming.resume();
      outgoing.writeHead(503, { 'content-type': 'application/xml' });
      return void outgoing.end('<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>');
    }
    if (fault === 'barred') {
      incoming.resume();
      return void outgoing.writeHead(403).end();
    }
    if (fault === 'silent') return void incoming.resume();
    const forwarded = request({ hostname: '127.0.0.1', port: this.#port, method, path, headers }, (answer) => {
      const send = (): void => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        if (fault !== 'cut') return void answer.pipe(outgoing);
        answer.once('data', (bytes: Buffer) => {
          outgoing.write(bytes.subarray(0, bytes.length / 2), () => outgoing.destroy());
          answer.destroy();
        });
        answer.once('end', () => outgoing.destroy());
      };
      if (fault === 'held') this.#held.push(send);
      else send();
    });
    forwarded.on('error', () => outgoing.destroy());
    // A reader that stops early leaves no connection behind the link.
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) forwarded.destroy();
    });
    incoming.pipe(forwarded);
  }
}
