import type { Readable } from 'node:stream';

/** An answer without the envelope: a page, the bytes of a file, or JSON too long to hold in memory. */
export class RawAnswer {
  readonly status: 200 | 206 | 304 | 416;
  /** Lower case; `content-type` among them where there is a body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable | Buffer | string | undefined;

  constructor(status: RawAnswer['status'], headers: RawAnswer['headers'], body?: RawAnswer['body']) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}
