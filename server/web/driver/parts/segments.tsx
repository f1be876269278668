import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { warehouse } from '../model/order.ts';

interface SegmentsProps {
  readonly route: Pick<LocalRoute, 'stops'>;
  readonly next: number | undefined;
  readonly label: string;
}

/** The route as a line of stops: done, skipped, next, to come. */
export function Segments({ route, next, label }: SegmentsProps) {
  const stops = route.stops.filter(({ id }) => id !== warehouse);
  const step = 280 / Math.max(1, stops.length);
  const gap = Math.min(2, step / 4);
  return (
    <svg className="segs" viewBox="0 0 280 10" preserveAspectRatio="none" role="img" aria-label={label}>
      {stops.map((stop, place) => {
        const { className, inset } = lookOf(stop, next);
        return (
          <rect
            key={stop.id}
            className={className}
            x={place * step + gap / 2}
            y={inset}
            width={step - gap}
            height={10 - 2 * inset}
          />
        );
      })}
    </svg>
  );
}

function lookOf({ id, updates }: LocalStop, next: number | undefined): { className: string; inset: number } {
  if (updates.status === 'D' || updates.status === 'C') return { className: 'sg-d', inset: 1 };
  if (updates.status !== 'P') return { className: 'sg-s', inset: 1.75 };
  return id === next ? { className: 'sg-n', inset: 0 } : { className: 'sg-p', inset: 3 };
}
