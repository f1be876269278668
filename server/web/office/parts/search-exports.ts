import type { DataOf } from '../api/operations.ts';
import type { Cell } from '../model/export.ts';
import { t } from '../words/words.ts';
import type { ExportColumn } from './exports.tsx';

type Found = DataOf<'search'>;
type Stop = Found['stops'][number];

export const stopExport = () => [
  { head: 'facility', text: ({ facility }: Stop) => facility },
  { head: t('routes.route'), text: ({ route_id }: Stop) => route_id },
  { head: 'week_end', text: ({ week_end }: Stop) => week_end },
  { head: t('route.stop'), text: ({ stop_id }: Stop) => stop_id },
  { head: t('routes.date'), text: ({ dispatched_on }: Stop) => dispatched_on },
  { head: t('route.customer'), text: ({ customer }: Stop) => customer },
  { head: 'name', text: ({ customer_name }: Stop) => customer_name },
  { head: t('route.invoices'), text: ({ invoices }: Stop) => invoices.join(' ') },
  { head: t('route.status'), text: ({ status }: Stop) => status },
  { head: 'status_at', text: ({ status_at }: Stop) => status_at },
  { head: t('stop.planned'), text: ({ planned }: Stop) => planned },
  { head: t('stop.delivered'), text: ({ delivered }: Stop) => delivered },
  { head: t('route.received'), text: ({ received_by }: Stop) => received_by },
];

/** Columns by the names of the ops API. */
const named = <Name extends string>(...names: readonly Name[]): readonly ExportColumn<Readonly<Record<Name, Cell>>>[] =>
  names.map((name) => ({ head: name, text: (row) => row[name] }));

export const routeExport = named('facility', 'route_id', 'week_end', 'name', 'dispatched_on', 'status');
export const customerExport = named('facility', 'customer', 'name', 'street', 'city', 'phone', 'stops');
export const driverExport = named('employee', 'name', 'facility', 'active');
export const fileExport = named('asset_id', 'state', 'name', 'mime', 'size', 'received_at');
export const mutationExport = named(
  ...['id', 'facility', 'route_id', 'week_end', 'stop_id', 'employee', 'employee_name', 'received_at', 'quarantine_id'],
);
