import { randomBytes } from 'node:crypto';
import type { Phone } from './fleet.ts';
import type { Load, PreparedShot, Shot, Shots } from './rest-load.ts';
import { ask, prepare } from './rest-load.ts';
import { benchRoute, measuredStop, WEEK } from './workload.ts';

/** The measured requests, the same for both servers. */
export class RestWork {
  readonly #phones: readonly Phone[];
  readonly #stops: number;
  /** By connection; taken from the end. */
  readonly #stock: PreparedShot[][];
  readonly #reads: readonly PreparedShot[];
  readonly #compressedReads: readonly PreparedShot[];
  /** No body repeats: a duplicate would cost almost nothing. */
  #serial = 0;
  /** By connection: a driver works along the route, stop by stop. */
  readonly #made: number[];
  #put = 0;

  constructor(phones: readonly Phone[], stops: number) {
    this.#phones = phones;
    this.#stops = stops;
    this.#stock = phones.map(() => []);
    this.#made = phones.map(() => 0);
    this.#reads = phones.map((phone) => prepare(routeRead(phone)));
    this.#compressedReads = phones.map((phone) => prepare(routeRead(phone, compressed)));
  }

  readonly readRoute = (connection: number): PreparedShot => ownOf(this.#reads, connection);

  readonly readRouteCompressed = (connection: number): PreparedShot => ownOf(this.#compressedReads, connection);

  /** Prepares this many PUTs of one stop for each of the first connections, before the clock runs. */
  stockUp(connections: number, each: number): void {
    for (const [n, stock] of this.#stock.slice(0, connections).entries())
      while (stock.length < each) stock.push(this.#makePut(n));
  }

  readonly putStop = (connection: number): PreparedShot => {
    this.#put += 1;
    return ownOf(this.#stock, connection).pop() ?? this.#makePut(connection);
  };

  /** The number of stop objects sent so far. */
  get put(): number {
    return this.#put;
  }

  /** A poll of an unchanged route. */
  async unchangedRoute(port: number, { connections }: Pick<Load, 'connections'>): Promise<Shots> {
    const asking = this.#phones
      .slice(0, connections)
      .map(async (phone) => ({ phone, etag: (await ask(port, routeRead(phone, compressed))).etag }));
    const shots = (await Promise.all(asking)).map(({ phone, etag }) =>
      prepare(routeRead(phone, { ...compressed, 'if-none-match': etag })),
    );
    return { next: (connection) => ownOf(shots, connection), expect: 304 };
  }

  #makePut(connection: number): PreparedShot {
    const before = ownOf(this.#made, connection);
    this.#made[connection] = before + 1;
    const stop = measuredStop((before % this.#stops) + 1, this.#serial++);
    const { id } = benchRoute(connection);
    return prepare({
      method: 'PUT',
      path: '/api/route/stop',
      headers: { ...credentials(ownOf(this.#phones, connection)), 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ id, facility: 'F01', week_end: WEEK, stops: [stop] })),
    });
  }
}

const compressed = { 'accept-encoding': 'gzip' };

const credentials = ({ employee, token }: Phone) => ({ employee_id: employee, api_token: token });

const routeRead = (phone: Phone, headers: Readonly<Record<string, string>> = {}): Shot => ({
  method: 'GET',
  path: '/api/route',
  headers: { ...credentials(phone), ...headers },
});

/** Each connection is a driver's. */
function ownOf<Own>(all: readonly Own[], connection: number): Own {
  const own = all[connection];
  if (own === undefined) throw new Error(`there is no driver for connection ${connection}`);
  return own;
}

/** A photo of this many bytes, as a form with one file. */
export function upload(bytes: number): Shot {
  const boundary = 'tailgate-bench';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="photo.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`;
  return {
    method: 'POST',
    path: '/api/v20/assets',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([
      Buffer.from(head),
      jpegHead,
      randomBytes(bytes - jpegHead.length),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}
const jpegHead = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');

export const download = (id: string): Shot => ({ method: 'GET', path: `/api/v20/assets/raw/${id}`, headers: {} });

/** Uploads this many files and returns their ids. */
export async function uploadedIds(port: number, shot: Shot, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(readUpload((await ask(port, shot)).text).data.id);
  return ids;
}

const readUpload: (text: string) => { data: { id: string } } = JSON.parse;
