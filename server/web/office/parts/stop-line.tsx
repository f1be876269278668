import { Icon } from '../../ui/icons.tsx';
import { links } from '../links.ts';
import type { StopMark, StopRow } from '../model/route-row.ts';
import { markOf, warehouse } from '../model/route-row.ts';
import { t } from '../words/words.ts';
import { Moment } from './moment.tsx';

/** A route as a line: each stop with its mark, its name and its time, as a link. */
export function StopLine({ route, stops }: { readonly route: string; readonly stops: readonly StopRow[] }) {
  const next = stops.find(({ status }) => status === 'P');
  return (
    <ol className="stop-line" aria-label={t('route.lineOf', { route })}>
      {stops.map((stop) => {
        const mark = markOf(stop, stop === next);
        return (
          <li key={stop.stop_id} className={`at-${mark}`}>
            <a href={links.stop(stop)}>
              <Mark mark={mark} n={stop.stop_id} />
              <span className="sr">{t('search.stop', { route, n: stop.stop_id })} </span>
              <span className="name">{nameOf(stop)}</span>
              <span className="sr">, {wordOf(stop, mark)}</span>
              <Time stop={stop} />
            </a>
          </li>
        );
      })}
    </ol>
  );
}

export const nameOf = ({ stop_id, customer_name: name, customer }: StopRow): string =>
  stop_id === warehouse ? t('route.warehouse') : name || customer;

const wordOf = ({ status }: StopRow, mark: StopMark): string => {
  if (mark === 'look') return t('route.refusedByHost');
  return mark === 'next' ? t('route.next') : t(`route.status.${status}`);
};

function Time({ stop }: { readonly stop: StopRow }) {
  if (stop.status_at !== null) return <Moment at={stop.status_at} of={stop} inRow />;
  if (stop.planned_at === null) return <span className="small">–</span>;
  return (
    <span>
      ~<Moment at={stop.planned_at} of={stop} inRow />
    </span>
  );
}

/** A shape for each state; the number where the stop is still to come. */
function Mark({ mark, n }: { readonly mark: StopMark; readonly n: number }) {
  if (mark === 'open' || mark === 'next')
    return (
      <span className={`stop-mark ${mark}`} aria-hidden="true">
        {n === warehouse ? <Icon name="home" small /> : n}
      </span>
    );
  return (
    <span className={`stop-mark ${mark}`} aria-hidden="true">
      {mark === 'look' ? <b>!</b> : <Icon name={mark === 'done' ? 'check' : 'x'} small />}
    </span>
  );
}
