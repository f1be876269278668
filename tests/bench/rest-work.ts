import { randomBytes } from 'node:crypto';
import type { Phone } from './fleet.ts';
import type { Load, Shot, Shots } from './rest-load.ts';
import { ask } from './rest-load.ts';
import { benchRoute, measuredStop, WEEK } from './workload.ts';

/** The requests that are measured, the same for both servers. */
export class RestWork {
  readonly #phones: readonly Phone[];
  readonly #stops: number;
  /** No body comes twice: the second time it would be a duplicate, and cost nothing. */
  #serial = 0;

  constructor(phones: readonly Phone[], stops: number) {
    this.#phones = phones;
    this.#stops = stops;
  }

  readonly readRoute = (connection: number): Shot => ({
    method: 'GET',
    path: '/api/route',
    headers: this.#credentials(connection),
  });

  readonly readRouteCompressed = (connection: number): Shot => ({
    ...this.readRoute(connection),
    headers: { ...this.#credentials(connection), 'accept-encoding': 'gzip' },
  });

  readonly putStop = (connection: number): Shot => {
    const serial = this.#serial++;
    const stop = measuredStop((serial % this.#stops) + 1, serial);
    const { id } = benchRoute(this.#indexOf(connection));
    return {
      method: 'PUT',
      path: '/api/route/stop',
      headers: { ...this.#credentials(connection), 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ id, facility: 'F01', week_end: WEEK, stops: [stop] })),
    };
  };

  /** How many stop objects were put so far. */
  get put(): number {
    return this.#serial;
  }

  /** Whoever has the route as it is asks again. */
  async unchangedRoute(port: number, { connections }: Pick<Load, 'connections'>): Promise<Shots> {
    const etags: string[] = [];
    while (etags.length < connections) etags.push((await ask(port, this.readRouteCompressed(etags.length))).etag);
    const next = (connection: number): Shot => {
      const shot = this.readRouteCompressed(connection);
      return { ...shot, headers: { ...shot.headers, 'if-none-match': etags[connection] ?? '' } };
    };
    return { next, expect: 304 };
  }

  #indexOf(connection: number): number {
    return connection % this.#phones.length;
  }

  #credentials(connection: number): { employee_id: string; api_token: string } {
    const phone = this.#phones[this.#indexOf(connection)];
    if (!phone) throw new Error('no phone');
    return { employee_id: phone.employee, api_token: phone.token };
  }
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

/** Uploads as many files and returns their ids. */
export async function uploadedIds(port: number, shot: Shot, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(readUpload((await ask(port, shot)).text).data.id);
  return ids;
}

const readUpload: (text: string) => { data: { id: string } } = JSON.parse;
