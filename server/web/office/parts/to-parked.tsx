import { useRead } from '../api/reads.ts';
import type { StopKey } from '../links.ts';
import { links } from '../links.ts';
import { t } from '../words/words.ts';

/** The refused row of the stop; its list where the row is not among the newest. */
export function ToParked({ stop }: { readonly stop: StopKey }) {
  const { data } = useRead('listParked', { query: { state: 'all', limit: 200 } });
  const row = data?.find(
    ({ facility, route_id, week_end, stop_id }) =>
      stop_id === stop.stop_id &&
      route_id === stop.route_id &&
      facility === stop.facility &&
      week_end === stop.week_end,
  );
  return (
    <a className="btn mt" href={row ? links.repair(row.parked_id) : links.parked}>
      {t('stop.toRepair')}
    </a>
  );
}
