/** A unit of a PostgreSQL connection that can pass at once. */
export interface ProtocolUnit {
  readonly bytes: Buffer;
  /** The statement that PostgreSQL runs: its name in words where it has one, else its text. */
  readonly statement: string | undefined;
}

/** First messages have no type; these two request encryption and are followed by another first message. */
const ENCRYPTION_REQUESTS = new Set([80_877_103, 80_877_104]);
const LENGTH_BYTES = 4;

/** Names of the mirror's own statements: `lease_list`. Statements of pg-boss and of the host have other names or none. */
const isMirrorStatement = /^[a-z]+(_[a-z0-9]+)+$/;

/**
 * Splits a client's messages (PostgreSQL, "Message Flow") into statements. A statement runs as a whole: a simple query,
 * or all messages up to a Sync; a mere preparation runs nothing.
 */
export class FrontendStatements {
  #bytes = Buffer.alloc(0);
  /** Bytes at the front that belong to the current statement. */
  #parsedBytes = 0;
  #statement: string | undefined;
  #runs = false;
  #hasStarted = false;
  readonly #prepared = new Map<string, string>();

  /** The database of the connection, once it has been named. */
  database = '';

  take(bytes: Buffer): ProtocolUnit[] {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    const units: ProtocolUnit[] = [];
    for (;;) {
      const typeBytes = this.#hasStarted ? 1 : 0;
      const start = this.#parsedBytes + typeBytes;
      if (this.#bytes.length < start + LENGTH_BYTES) return units;
      const end = start + this.#bytes.readInt32BE(start);
      if (this.#bytes.length < end) return units;
      const body = this.#bytes.subarray(start + LENGTH_BYTES, end);
      this.#parsedBytes = end;
      const isWhole = this.#hasStarted
        ? this.#read(String.fromCharCode(this.#bytes[start - 1] ?? 0), body)
        : this.#begin(body);
      if (!isWhole) continue;
      units.push({ bytes: this.#bytes.subarray(0, end), statement: this.#runs ? this.#statement : undefined });
      this.#bytes = this.#bytes.subarray(end);
      this.#parsedBytes = 0;
      this.#statement = undefined;
      this.#runs = false;
    }
  }

  #begin(body: Buffer): true {
    this.#hasStarted = !ENCRYPTION_REQUESTS.has(body.readInt32BE(0));
    const words = body.subarray(LENGTH_BYTES).toString().split('\0');
    this.database = words[words.indexOf('database') + 1] ?? '';
    return true;
  }

  /** @returns whether the message completes a statement */
  #read(type: string, body: Buffer): boolean {
    switch (type) {
      case 'Q':
        this.#statement = textAt(body, 0);
        this.#runs = true;
        return true;
      case 'P': {
        const name = textAt(body, 0);
        const text = textAt(body, byteLength(name));
        this.#statement = isMirrorStatement.test(name) ? name : text;
        this.#prepared.set(name, this.#statement);
        return false;
      }
      case 'B': {
        const portal = textAt(body, 0);
        this.#statement = this.#prepared.get(textAt(body, byteLength(portal)));
        return false;
      }
      case 'E':
        this.#runs = true;
        return false;
      case 'D':
      case 'C':
        return false;
      default:
        return true;
    }
  }
}

function textAt(body: Buffer, offset: number): string {
  return body.toString('utf8', offset, body.indexOf(0, offset));
}

/** With the zero at its end. */
const byteLength = (text: string): number => Buffer.byteLength(text) + 1;
