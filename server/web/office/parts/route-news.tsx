import { Chip } from '../../ui/parts/chip.tsx';
import { links } from '../links.ts';
import type { RouteDetail, RouteEvent } from '../model/route-row.ts';
import { t } from '../words/words.ts';
import { Moment } from './moment.tsx';
import { nameOf } from './stop-line.tsx';

interface RouteNewsProps {
  readonly detail: RouteDetail;
  /** The version that the page shows. */
  readonly shown?: number | undefined;
}

/** The latest changes of a route. Each leads to the stop as it was then, and to the route as it was then. */
export function RouteNews({ detail: { route, stops, latest }, shown }: RouteNewsProps) {
  const textOf = ({ stop_id: n }: RouteEvent): string => {
    const stop = stops.find(({ stop_id }) => stop_id === n);
    return t('route.event', { n, name: stop ? nameOf(stop) : '' });
  };
  if (latest.length === 0) return <p className="small panel-body">{t('route.noNews')}</p>;
  return (
    <ul className="feed" aria-label={t('route.news')}>
      {latest.map((event) => {
        const { id, stop_id, version, employee, employee_name: name, source, received_at, flagged } = event;
        const subject = textOf(event);
        return (
          <li key={`${id} ${version}`} aria-current={version === shown ? 'true' : undefined}>
            <Moment at={received_at} of={route} inRow />
            <span className="grow">
              <a href={links.history({ ...route, stop_id }, id)}>{subject}</a>{' '}
              {t('route.eventBy', { who: name || employee, source: t(`history.source.${source}`) })}
            </span>
            {flagged && (
              <Chip icon="warn" tone="warn">
                {t('route.flagged')}
              </Chip>
            )}
            <a href={links.route(route, version)}>
              {t('route.then')}
              <span className="sr">, {subject}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}
