import { notifyEachRoute } from '../db/notify-sql.ts';
import type { RouteKey } from '@tailgate/sync-protocol';
import { columns, int2, text } from '../db/columns.ts';
import { statement } from '../db/statement.ts';

/** A stop that names files. */
export interface NamingStop {
  readonly key: RouteKey;
  readonly stop: number;
}

/** One file that a stop names. */
export interface NamedFile extends NamingStop {
  readonly asset: string;
}

const place = {
  facility: text(({ key }: NamingStop) => key.facility),
  route_id: text(({ key }: NamingStop) => key.id),
  week_end: text(({ key }: NamingStop) => key.week_end),
  stop_id: int2(({ stop }: NamingStop) => stop),
};
const stops = columns<NamingStop>(place);
const files = columns<NamedFile>({ ...place, asset_id: text(({ asset }) => asset) }, 4);

/** The parameters of `expectEvidence`. */
export const evidenceColumns = (naming: readonly NamingStop[], named: readonly NamedFile[]): Buffer[] => [
  ...stops.parameters(naming),
  ...files.parameters(named),
];

/**
 * Records the files that stops name now, in place of those that they named before. Returns the stops that still miss a
 * file. The lock of the route keeps other transactions from these rows.
 */
export const expectEvidence = statement(
  'asset_expect_evidence',
  `with stop as (
     select * from ${stops.rows}
   ), missing as (
     select k.facility, k.route_id, k.week_end, k.stop_id, k.asset_id
       from ${files.rows}
      where not exists (select from asset a where a.id = k.asset_id and a.state = 'R')
   ), awaited as (
     insert into awaited_asset (facility, route_id, week_end, stop_id, asset_id)
     select facility, route_id, week_end, stop_id, asset_id from missing
     on conflict do nothing
   ), named_no_more as (
     delete from awaited_asset w using stop s
      where w.facility = s.facility and w.route_id = s.route_id and w.week_end = s.week_end and w.stop_id = s.stop_id
        and not exists (select from missing m
                         where m.facility = w.facility and m.route_id = w.route_id and m.week_end = w.week_end
                           and m.stop_id = w.stop_id and m.asset_id = w.asset_id)
   )
   select distinct facility, route_id as id, week_end, stop_id as stop from missing`,
);

/** $1 asset. */
export const findWaitingRoutes = statement(
  'asset_find_waiting_routes',
  'select distinct facility, route_id as id, week_end from awaited_asset where asset_id = $1',
);

/** Notifies all nodes. $1 scopes. */
export const notifyRoutes = statement('asset_tell_routes', notifyEachRoute);
