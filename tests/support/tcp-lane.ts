import type { Socket } from 'node:net';

/** The present behaviour of one direction of all links. */
export interface Weather {
  held: boolean;
  dropping: boolean;
  delayMs: number;
  /** `Infinity`: as fast as the machine. */
  bytesPerSecond: number;
}

interface Parcel {
  /** `null`: the sender has closed its side. */
  bytes: Buffer | null;
  due: number;
}

/** A full-sized packet: the unit that a throttled lane passes at a time. */
const PACKET_BYTES = 1_400;
/** The buffer of a stopped lane before it stops reading, as a full window would. */
const WINDOW_BYTES = 8 * 1024 * 1024;

/** One direction of one link: takes bytes from one socket and passes them to the other as the settings allow. */
export class Lane {
  readonly #to: Socket;
  readonly #from: Socket;
  readonly #weather: Weather;
  readonly #moved: () => void;
  readonly #queue: Parcel[] = [];
  #queued = 0;
  #lastDue = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Bytes were dropped: the link can never carry a valid stream again. */
  lossy = false;

  /** @param moved called when bytes have arrived, and when bytes have been passed on */
  constructor(from: Socket, to: Socket, weather: Weather, moved: () => void) {
    this.#from = from;
    this.#to = to;
    this.#weather = weather;
    this.#moved = moved;
    from.on('data', (bytes) => {
      this.#enqueue(bytes);
      moved();
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
    for (let parcel = this.#queue[0]; parcel && !this.#weather.held; parcel = this.#queue[0]) {
      if (this.#to.destroyed || this.#to.writableNeedDrain) return;
      const wait = parcel.due - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.flow(), wait);
        return;
      }
      this.#queue.shift();
      if (parcel.bytes === null) this.#to.end();
      else {
        this.#queued -= parcel.bytes.length;
        this.#to.write(parcel.bytes);
        this.#moved();
      }
    }
    if (this.#queued < WINDOW_BYTES) this.#from.resume();
  }

  #enqueue(bytes: Buffer | null): void {
    const { dropping, delayMs, bytesPerSecond } = this.#weather;
    if (dropping) {
      this.lossy = true;
      return;
    }
    const size = bytesPerSecond === Infinity ? Infinity : PACKET_BYTES;
    for (const packet of bytes === null ? [null] : cut(bytes, size)) {
      const took = packet === null ? 0 : (packet.length / bytesPerSecond) * 1_000;
      this.#lastDue = Math.max(performance.now() + delayMs, this.#lastDue) + took;
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
