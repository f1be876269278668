import { Chip } from '../../ui/parts/chip.tsx';
import type { DataOf } from '../api/operations.ts';
import { isOffPlan } from '../model/route-row.ts';
import { DriverName } from './driver-name.tsx';
import { ListTicks } from './stop-state.tsx';
import { dayKey } from '../words/times.ts';
import { t } from '../words/words.ts';
import { Marked } from './marked.tsx';
import { Moment } from './moment.tsx';

type Found = DataOf<'search'>;
type Stop = Found['stops'][number];
type Route = Found['routes'][number];
type Customer = Found['customers'][number];
type Driver = Found['drivers'][number];
type File = Found['files'][number];
type Mutation = Found['mutations'][number];

/** When the stop was decided, or when its arrival is planned; its day where it has neither. */
function When({ stop }: { readonly stop: Stop }) {
  const { status_at: at, planned_at: planned, dispatched_on: day } = stop;
  const moment = at ?? planned;
  if (moment === null) return <Day of={stop} day={day} />;
  const isToday = dayKey(Date.parse(moment), stop) === dayKey(Date.now(), stop);
  return (
    <>
      {isToday && `${t('search.today')} `}
      {at === null && '~'}
      <Moment at={moment} of={stop} inRow />
    </>
  );
}

/** 24 Nov as the host writes it, or `today`. */
function Day({
  of,
  day,
}: {
  readonly of: { readonly zone?: string; readonly facility?: string };
  readonly day: string;
}) {
  if (day === dayKey(Date.now(), of)) return t('search.today');
  return day.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
}

export const stopColumns = (question: string) => [
  {
    head: t('route.stop'),
    cell: (stop: Stop) => (
      <>
        <strong>
          <Marked text={`${t('search.stop', { route: stop.route_id, n: stop.stop_id })} `} question={question} />
          <Marked text={stop.customer_name || stop.customer} question={question} />
        </strong>
        <span className="sub">
          <Marked
            text={[stop.customer, stop.city, ...stop.invoices.map((n) => t('search.invoice', { n }))]
              .filter((each) => each !== '')
              .join(' · ')}
            question={question}
          />
        </span>
      </>
    ),
  },
  {
    head: t('search.when'),
    cell: (stop: Stop) => (
      <>
        <When stop={stop} />
        {stop.status_by !== null && <span className="sub">{stop.status_by_name || stop.status_by}</span>}
      </>
    ),
  },
  { head: t('search.became'), cell: (stop: Stop) => <Became stop={stop} /> },
  { head: t('route.ticks'), cell: (stop: Stop) => <ListTicks stop={stop} /> },
];

function Became({ stop }: { readonly stop: Stop }) {
  const { status, delivered, planned, exceptions } = stop;
  if (status === 'P') return <Chip icon="route">{t('route.status.P')}</Chip>;
  if (status === 'S' || status === 'R') return <Chip icon="x">{t(`route.status.${status}`)}</Chip>;
  const isOff = isOffPlan(stop);
  return (
    <Chip icon={isOff ? 'warn' : 'check'} tone={isOff ? 'warn' : 'go'}>
      {t('route.of', { a: delivered, b: planned })}
      {exceptions > 0 && `, ${t('routes.lines', { n: exceptions })}`}
    </Chip>
  );
}

export const routeColumns = (question: string) => [
  {
    head: t('routes.route'),
    cell: ({ route_id, name, facility }: Route) => (
      <>
        <strong>
          <Marked text={`${route_id} ${name}`} question={question} />
        </strong>
        <span className="sub">{facility}</span>
      </>
    ),
  },
  { head: t('routes.date'), cell: (route: Route) => <Day of={route} day={route.dispatched_on} /> },
  { head: t('routes.state'), cell: ({ status }: Route) => t(status === 'O' ? 'routes.open' : 'routes.closed') },
];

export const customerColumns = (question: string) => [
  {
    head: t('route.customer'),
    cell: ({ name, customer }: Customer) => (
      <>
        <strong>
          <Marked text={name || customer} question={question} />
        </strong>
        <span className="sub">
          <Marked text={customer} question={question} />
        </span>
      </>
    ),
  },
  {
    head: t('search.address'),
    cell: ({ street, city }: Customer) => (
      <Marked text={[street, city].filter((each) => each !== '').join(', ')} question={question} />
    ),
  },
  { head: t('search.phone'), cell: ({ phone }: Customer) => phone || '–' },
  { head: t('search.recent'), cell: ({ stops }: Customer) => stops, isNumber: true },
];

export const driverColumns = (question: string) => [
  {
    head: t('phones.driver'),
    cell: ({ name, employee }: Driver) => (
      <>
        <strong>
          <Marked text={name || employee} question={question} />
        </strong>
        <span className="sub">
          <Marked text={employee} question={question} />
        </span>
      </>
    ),
  },
  { head: t('routes.facility'), cell: ({ facility }: Driver) => facility },
  { head: t('routes.state'), cell: ({ active }: Driver) => t(active ? 'search.active' : 'search.inactive') },
];

export const fileColumns = (question: string) => [
  {
    head: t('route.files'),
    cell: ({ asset_id, name }: File) => (
      <>
        {name || asset_id}
        <span className="sub mono">
          <Marked text={asset_id} question={question} />
        </span>
      </>
    ),
  },
  { head: t('search.type'), cell: ({ mime }: File) => mime || '–' },
  { head: t('routes.state'), cell: ({ state }: File) => t(`history.file.${state}`) },
  { head: t('search.came'), cell: ({ received_at: at }: File) => (at === null ? '–' : <Moment at={at} />) },
];

export const mutationColumns = (question: string) => [
  {
    head: t('route.stop'),
    cell: ({ id, route_id, stop_id }: Mutation) => (
      <>
        <strong>{stop_id === null ? route_id || '–' : t('parked.stop', { route: route_id, n: stop_id })}</strong>
        <span className="sub mono">
          <Marked text={id} question={question} />
        </span>
      </>
    ),
  },
  { head: t('history.who'), cell: DriverName },
  { head: t('search.came'), cell: (row: Mutation) => <Moment at={row.received_at} of={row} inRow /> },
  {
    head: t('search.became'),
    cell: ({ quarantine_id }: Mutation) => t(quarantine_id === null ? 'search.applied' : 'search.kept'),
  },
];
