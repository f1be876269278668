import { useRead } from '../api/reads.ts';
import { links } from '../links.ts';
import type { RouteDetail, StopRow } from '../model/route-row.ts';
import { stopAtVersion } from '../model/stop-record.ts';
import { t } from '../words/words.ts';
import { nameOf } from './stop-line.tsx';

interface RouteThenProps {
  readonly detail: RouteDetail;
  readonly version: number;
}

/**
 * The stops of a route at a version (B14). A stop without a later change is as it is now; the history of each other one has its
 * values then. The list of latest changes bounds them to 20.
 */
export function RouteThen({ detail: { stops }, version }: RouteThenProps) {
  return (
    <div className="panel scrolls">
      <table className="tbl">
        <caption className="sr">{t('route.caption')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('route.stop')}</th>
            <th scope="col">{t('route.status')}</th>
            <th scope="col">{t('route.received')}</th>
            <th scope="col">{t('stop.driver')}</th>
            <th scope="col">{t('history.moment')}</th>
          </tr>
        </thead>
        <tbody>
          {stops.map((stop) => (
            <tr key={stop.stop_id} className={stop.version > version ? 'off' : undefined}>
              <th scope="row">
                <a className="cell" href={links.history(stop)} data-row="">
                  <strong>
                    {stop.stop_id} · {nameOf(stop)}
                  </strong>
                </a>
              </th>
              {stop.version > version ? <Then stop={stop} version={version} /> : <Same stop={stop} />}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Same({ stop: { status, received_by } }: { readonly stop: StopRow }) {
  return (
    <>
      <td>{t(`route.status.${status}`)}</td>
      <td>{received_by || '–'}</td>
      <td>–</td>
      <td>{t('route.thenSame')}</td>
    </>
  );
}

function Then({ stop, version }: { readonly stop: StopRow; readonly version: number }) {
  const { facility, route_id, week_end, stop_id } = stop;
  const { data, fault } = useRead('readStopHistory', { query: { facility, route_id, week_end, stop_id } });
  if (!data) return <td colSpan={4}>{t(fault ? 'fault.unreachable' : 'app.loading')}</td>;
  const { status, receivedBy, comment } = stopAtVersion(data.mutations, version);
  return (
    <>
      <td>{t(`route.status.${status}`)}</td>
      <td>{receivedBy || '–'}</td>
      <td>{comment || '–'}</td>
      <td>{t('route.thenLater')}</td>
    </>
  );
}
