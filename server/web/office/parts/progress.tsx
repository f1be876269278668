import { progressOf, runsOf } from '../model/route-row.ts';
import { t } from '../words/words.ts';

const shortest = 12;

/** The line of stops of a route: done, without delivery, next, to come. */
export function ProgressLine({ letters }: { readonly letters: string }) {
  const { stops, done } = progressOf(letters);
  // Up to 30 stops each has a gap before the next one.
  const gap = stops <= 30 ? 0.2 : 0;
  // The bars of short routes are as wide as those of others.
  const width = Math.max(shortest, stops);
  return (
    <svg
      className="prog"
      viewBox={`0 0 ${width} 12`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('routes.doneLong', { done, stops })}
    >
      {runsOf(letters).map(({ kind, from, length }) => (
        <path key={from} className={`sg sg-${kind}`} d={shapeOf(kind === 'open', from, length, gap)} />
      ))}
    </svg>
  );
}

/** Bars side by side; stops to come are lower. */
function shapeOf(isLow: boolean, from: number, length: number, gap: number): string {
  const [top, height] = isLow ? [4, 4] : [1, 10];
  if (gap === 0) return `M${from} ${top}h${length}v${height}h-${length}z`;
  return Array.from({ length }, (_, n) => `M${from + n} ${top}h${1 - gap}v${height}h-${1 - gap}z`).join('');
}
