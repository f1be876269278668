import { Icon } from '../../ui/icons.tsx';
import { useRead } from '../api/reads.ts';
import type { RouteKey } from '../links.ts';
import { links } from '../links.ts';
import { t } from '../words/words.ts';
import { FaultNote } from './fault-note.tsx';
import { RouteNews } from './route-news.tsx';
import { StopLine } from './stop-line.tsx';

/** The chosen route of the list: its line of stops, and its latest changes. */
export function RoutePanel({ facility, route_id, week_end }: RouteKey) {
  const { data, fault } = useRead('readOpsRoute', { params: { facility, route_id, week_end } });
  return (
    <section className="route-panel" aria-label={route_id}>
      <FaultNote fault={fault} />
      {!data && !fault && <p className="small">{t('app.loading')}</p>}
      {data && (
        <>
          <div className="panel-head">
            <h2>
              {route_id} {data.route.name}
            </h2>
            {data.route.trailer !== '' && (
              <span className="small">{t('route.trailer', { trailer: data.route.trailer })}</span>
            )}
            <a className="btn" href={links.route(data.route)}>
              <Icon name="route" />
              {t('route.page')}
            </a>
          </div>
          <StopLine route={route_id} stops={data.stops} />
          <RouteNews detail={data} />
        </>
      )}
    </section>
  );
}
