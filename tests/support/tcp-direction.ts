import type { Socket } from 'node:net';

/** The present behaviour of one direction of all links. */
export interface LinkConditions {
  stopped: boolean;
  dropping: boolean;
  delayMs: number;
  /** `Infinity`: as fast as the machine. */
  bytesPerSecond: number;
}

interface QueuedBytes {
  /** `null`: the sender has closed its side. */
  bytes: Buffer | null;
  due: number;
}

/** A full-sized packet: the unit that a throttled lane passes at a time. */
const PACKET_BYTES = 1_400;
/** The buffer of a stopped lane before it stops reading, as a full window would. */
const WINDOW_BYTES = 8 * 1024 * 1024;

/** One direction of one link: takes bytes from one socket and passes them to the other as the settings allow. */
export class LinkDirection {
  readonly #to: Socket;
  readonly #from: Socket;
  readonly #conditions: LinkConditions;
  readonly #onProgress: () => void;
  readonly #queue: QueuedBytes[] = [];
  #queued = 0;
  #lastDue = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Bytes were dropped: the link can never carry a valid stream again. */
  lossy = false;

  /** @param onProgress called when bytes have arrived, and when bytes have been passed on */
  constructor(from: Socket, to: Socket, conditions: LinkConditions, onProgress: () => void) {
    this.#from = from;
    this.#to = to;
    this.#conditions = conditions;
    this.#onProgress = onProgress;
    from.on('data', (bytes) => {
      this.#enqueue(bytes);
      onProgress();
    });
    from.on('end', () => this.#enqueue(null));
    to.on('drain', () => this.flow());
    to.on('close', () => clearTimeout(this.#timer));
  }

  /** The waiting bytes, oldest first. */
  waiting(): Buffer {
    return Buffer.concat(this.#queue.map(({ bytes }) => bytes ?? Buffer.alloc(0)));
  }

  /** Passes on the due bytes; called again by the clock, by a drained socket and by a change of the settings. */
  flow(): void {
    clearTimeout(this.#timer);
    for (let next = this.#queue[0]; next && !this.#conditions.stopped; next = this.#queue[0]) {
      if (this.#to.destroyed || this.#to.writableNeedDrain) return;
      const wait = next.due - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.flow(), wait);
        return;
      }
      this.#queue.shift();
      if (next.bytes === null) this.#to.end();
      else {
        this.#queued -= next.bytes.length;
        this.#to.write(next.bytes);
        this.#onProgress();
      }
    }
    if (this.#queued < WINDOW_BYTES) this.#from.resume();
  }

  #enqueue(bytes: Buffer | null): void {
    const { dropping, delayMs, bytesPerSecond } = this.#conditions;
    if (dropping) {
      this.lossy = true;
      return;
    }
    const size = bytesPerSecond === Infinity ? Infinity : PACKET_BYTES;
    for (const packet of bytes === null ? [null] : cut(bytes, size)) {
      const sendMs = packet === null ? 0 : (packet.length / bytesPerSecond) * 1_000;
      this.#lastDue = Math.max(performance.now() + delayMs, this.#lastDue) + sendMs;
      this.#queue.push({ bytes: packet, due: this.#lastDue });
      this.#queued += packet?.length ?? 0;
    }
    if (this.#queued >= WINDOW_BYTES) this.#from.pause();
    this.flow();
  }
}

function cut(bytes: Buffer, size: number): Buffer[] {
  if (bytes.length <= size) return [bytes];
  const packets = [];
  for (let at = 0; at < bytes.length; at += size) packets.push(bytes.subarray(at, at + size));
  return packets;
}
