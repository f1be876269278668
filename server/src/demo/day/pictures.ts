import { encodePng } from '../../runtime/png.ts';

// Small real PNG files: a signature on white, and goods on a dock.

type Colour = readonly [red: number, green: number, blue: number];

class Canvas {
  readonly width: number;
  readonly height: number;
  readonly #pixels: Buffer;

  constructor(width: number, height: number, background: Colour) {
    this.width = width;
    this.height = height;
    this.#pixels = Buffer.alloc(width * height * 3);
    this.box(0, 0, width, height, background);
  }

  box(left: number, top: number, width: number, height: number, colour: Colour): void {
    for (let y = Math.max(top, 0); y < Math.min(top + height, this.height); y++)
      for (let x = Math.max(left, 0); x < Math.min(left + width, this.width); x++)
        this.#pixels.set(colour, (y * this.width + x) * 3);
  }

  png(): Buffer {
    const { width, height } = this;
    const line = width * 3;
    const lines = Array.from({ length: height }, (_, y) =>
      Buffer.concat([Buffer.from([0]), this.#pixels.subarray(y * line, (y + 1) * line)]),
    );
    return encodePng({ width, height, channels: 3, lines: Buffer.concat(lines) });
  }
}

const ink: Colour = [24, 34, 92];

/** A name in handwriting: a loop for each letter. `seed` makes each signature another one. */
export function signature(name: string, seed: number): Buffer {
  const canvas = new Canvas(360, 120, [255, 255, 255]);
  const letters = Array.from(name, (letter) => letter.codePointAt(0) ?? 0);
  const advance = (canvas.width - 60) / letters.length;
  for (const [n, letter] of letters.entries()) {
    const tremor = (Math.imul(seed, 2_654_435_761) >>> (n % 28)) % 8;
    const [tall, wide] = [13 + tremor + (letter % 7) * 4, 8 + (letter % 5) * 2];
    for (let step = 0; step < 400; step++) {
      const turn = (step / 400) * 2 * Math.PI;
      const x = 30 + advance * (n + step / 400) - wide * Math.sin(turn + 0.6);
      const y = 70 - tall * (1 - Math.cos(turn)) * (letter % 2 === 0 ? 0.7 : 0.4);
      canvas.box(Math.round(x), Math.round(y), 2, 2, ink);
    }
  }
  return canvas.png();
}

const cartons: readonly Colour[] = [
  [190, 142, 84],
  [176, 128, 72],
  [204, 160, 104],
];

/** Pallets with cartons on a dock; `seed` makes each photo another one. */
export function photo(pallets: number, seed: number): Buffer {
  const canvas = new Canvas(480, 320, [150, 156, 162]);
  canvas.box(0, 230, 480, 90, [104, 106, 110]);
  for (let bay = 0; bay < 4; bay++) canvas.box(20 + bay * 116, 30, 92, 120, [206, 210, 214]);
  for (let pallet = 0; pallet < pallets; pallet++) {
    const left = 40 + pallet * 140;
    canvas.box(left, 262, 112, 14, [120, 84, 46]);
    for (let row = 0; row < 2 + ((seed + pallet) % 3); row++)
      for (let column = 0; column < 3; column++) {
        const colour = cartons[(seed + row + column) % cartons.length] ?? ink;
        canvas.box(left + 2 + column * 37, 230 - row * 34, 35, 32, colour);
        canvas.box(left + 2 + column * 37, 244 - row * 34, 35, 3, [226, 214, 190]);
      }
  }
  // The label of the delivery, different for each photo.
  for (let bar = 0; bar < 24; bar++)
    if (((seed * 2_654_435_761) >>> (bar % 31)) & 1) canvas.box(340 + bar * 4, 290, 3, 18, [20, 20, 20]);
  return canvas.png();
}
