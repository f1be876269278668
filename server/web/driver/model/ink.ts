/**
 * The strokes of a signature in CSS pixels of the field in which they began. Plain JSON (hence a type): the draft of the
 * stop contains it. A stroke is a flat list: x, y, and ms since its first point, for each point.
 */
export type Ink = {
  readonly width: number;
  readonly height: number;
  readonly strokes: readonly (readonly number[])[];
};

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly time: number;
  readonly pressure: number;
}

/** Maps ink to a field of another size: `x * scale + dx`. */
export interface View {
  readonly scale: number;
  readonly dx: number;
  readonly dy: number;
}

export const noView: View = { scale: 1, dx: 0, dy: 0 };

/** A draft has room for more; a longer scribble keeps every second point. */
const maxPoints = 2_000;
/** Shorter than this is a touch, not a signature; CSS px. */
const minLength = 40;

/** The rectangle of a field. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The strokes of a field, in the pixels of the field where they began. */
export function inkOf(
  strokes: readonly (readonly Point[])[],
  { width, height }: Pick<Ink, 'width' | 'height'>,
  { scale, dx, dy }: View,
): Ink {
  const flat = strokes.map((points) =>
    points.flatMap(({ x, y, time }) => [
      tenths((x - dx) / scale),
      tenths((y - dy) / scale),
      Math.round(time - (points[0]?.time ?? 0)),
    ]),
  );
  return { width, height, strokes: thinned(flat) };
}

/** The strokes as points of a field that shows them in this view. */
export const pointsOf = ({ strokes }: Ink, { scale, dx, dy }: View): Point[][] =>
  strokes.map((flat) =>
    triples(flat).map(([x, y, time]) => ({ x: x * scale + dx, y: y * scale + dy, time, pressure: 0.5 })),
  );

/**
 * The view that shows all of the ink in a field: as large as it was drawn where it fits, else smaller, in the middle. The
 * same size again gives the same place, so that turning the phone twice changes nothing.
 */
export function viewOf(ink: Ink, width: number, height: number): View {
  const drawn = boundsOf(ink);
  const box = {
    left: Math.min(0, drawn?.left ?? 0),
    top: Math.min(0, drawn?.top ?? 0),
    right: Math.max(ink.width, drawn?.right ?? 0),
    bottom: Math.max(ink.height, drawn?.bottom ?? 0),
  };
  return fitted(box, width, height, 1);
}

/** The view that fills a picture with the ink, less a margin. */
export function pictureView(ink: Ink, width: number, height: number, margin: number): View {
  const box = boundsOf(ink) ?? { left: 0, top: 0, right: ink.width, bottom: ink.height };
  const { scale, dx, dy } = fitted(box, width - 2 * margin, height - 2 * margin, 3);
  return { scale, dx: dx + margin, dy: dy + margin };
}

function fitted({ left, top, right, bottom }: Box, width: number, height: number, largest: number): View {
  const [across, down] = [Math.max(1, right - left), Math.max(1, bottom - top)];
  const scale = Math.min(largest, width / across, height / down);
  return { scale, dx: (width - across * scale) / 2 - left * scale, dy: (height - down * scale) / 2 - top * scale };
}

/** Whether there is enough ink for a signature. */
export function isSigned(ink: Ink | null): ink is Ink {
  if (!ink) return false;
  let length = 0;
  for (const flat of ink.strokes) {
    const points = triples(flat);
    for (const [place, [x, y]] of points.entries()) {
      const [fromX, fromY] = points[place - 1] ?? [x, y];
      length += Math.hypot(x - fromX, y - fromY);
    }
  }
  return length >= minLength;
}

/** The ink in a stored value; null where it is none. */
export function storedInk(stored: unknown): Ink | null {
  if (!(stored instanceof Object) || !('width' in stored) || !('height' in stored) || !('strokes' in stored))
    return null;
  const { width, height, strokes } = stored;
  if (!isSize(width) || !isSize(height) || !Array.isArray(strokes)) return null;
  return { width, height, strokes: strokes.filter(isStroke) };
}

const isSize = (value: unknown): value is number => typeof value === 'number' && value > 0 && Number.isFinite(value);
const isStroke = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.length % 3 === 0 && value.every(Number.isFinite);

function boundsOf({ strokes }: Ink): Box | undefined {
  const points = strokes.flatMap(triples);
  if (points.length === 0) return undefined;
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const [x, y] of points) {
    box.left = Math.min(box.left, x);
    box.top = Math.min(box.top, y);
    box.right = Math.max(box.right, x);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

function triples(flat: readonly number[]): (readonly [x: number, y: number, time: number])[] {
  const points: (readonly [number, number, number])[] = [];
  for (let i = 0; i + 2 < flat.length; i += 3) points.push([flat[i] ?? 0, flat[i + 1] ?? 0, flat[i + 2] ?? 0]);
  return points;
}

/** Every second point of long strokes, until the rest fits. The ends of a stroke stay. */
function thinned(strokes: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const count = strokes.reduce((sum, { length }) => sum + length / 3, 0);
  const long = strokes.some(({ length }) => length > 6);
  if (count <= maxPoints || !long) return strokes.slice(0, maxPoints);
  return thinned(
    strokes.map((flat) =>
      triples(flat)
        .filter((_, place, all) => place % 2 === 0 || place === all.length - 1)
        .flat(),
    ),
  );
}

const tenths = (value: number): number => Math.round(value * 10) / 10;
