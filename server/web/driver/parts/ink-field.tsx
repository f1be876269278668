import { useLayoutEffect, useRef } from 'react';
import SignaturePad from 'signature_pad';
import type { Ink } from '../model/ink.ts';
import { inkOf, noView, pointsOf, viewOf } from '../model/ink.ts';
import { pen } from '../signature-file.ts';

interface InkFieldProps {
  /** The strokes so far; shown when the field opens, and again when its size changes. */
  readonly ink: Ink | null;
  readonly label: string;
  /** A small line in the field. */
  readonly hint: string;
  /** Takes no more strokes: the file of the present ones is being made. */
  readonly isLocked: boolean;
  /** Called after each stroke with all of them. */
  readonly onInk: (ink: Ink) => void;
}

/** A field to sign in. Black on white in every theme. */
export function InkField({ ink, label, hint, isLocked, onInk }: InkFieldProps) {
  const surface = useRef<HTMLCanvasElement>(null);
  const latest = useRef({ ink, onInk });
  latest.current = { ink, onInk };
  useLayoutEffect(() => {
    const { current: canvas } = surface;
    if (!canvas) return undefined;
    const pad = new SignaturePad(canvas, { ...pen(1), minDistance: 2 });
    let view = noView;
    let field = { width: 1, height: 1 };
    const draw = (): void => {
      const { clientWidth: width, clientHeight: height } = canvas;
      if (width === 0 || height === 0) return;
      const ratio = Math.max(1, devicePixelRatio);
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.getContext('2d')?.scale(ratio, ratio);
      const { ink: drawn } = latest.current;
      field = drawn ?? { width, height };
      view = drawn ? viewOf(drawn, width, height) : noView;
      pad.fromData(drawn ? pointsOf(drawn, view).map((points) => ({ ...pen(view.scale), points })) : []);
    };
    // The field keeps touches for itself, so the keyboard of the name would stay open over it.
    pad.addEventListener('beginStroke', () => {
      const { activeElement } = document;
      if (activeElement instanceof HTMLElement) activeElement.blur();
    });
    pad.addEventListener('endStroke', () => {
      const strokes = pad.toData().map(({ points }) => points);
      latest.current.onInk(inkOf(strokes, field, view));
    });
    // Else the browser takes a fast stroke for a fling, and the next tap only ends that.
    canvas.addEventListener('touchstart', (event) => event.preventDefault(), { passive: false });
    const observer = new ResizeObserver(draw);
    observer.observe(canvas);
    return () => {
      observer.disconnect();
      pad.off();
    };
  }, []);
  return (
    <div className="pad-area" inert={isLocked}>
      <span className="cap">{hint}</span>
      <span className="xline" aria-hidden="true" />
      <canvas ref={surface} role="img" aria-label={label} />
    </div>
  );
}
