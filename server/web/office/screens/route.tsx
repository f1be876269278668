import { Fragment } from 'react';
import { useRead } from '../api/reads.ts';
import type { RouteKey } from '../links.ts';
import { links } from '../links.ts';
import type { RouteDetail, StopRow } from '../model/route-row.ts';
import { isOffPlan } from '../model/route-row.ts';
import { ExportRows } from '../parts/exports.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { LegalHolds } from '../parts/legal-holds.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { RouteNews } from '../parts/route-news.tsx';
import { RouteThen } from '../parts/route-then.tsx';
import { nameOf, StopLine } from '../parts/stop-line.tsx';
import { ListTicks, StopStatus, WhenWho } from '../parts/stop-state.tsx';
import { Table } from '../parts/table.tsx';
import { dayText, timeIn } from '../words/times.ts';
import { t } from '../words/words.ts';

interface RouteScreenProps {
  readonly route: RouteKey;
  /** The route as it was at this version (B14). */
  readonly version?: number | undefined;
}

/** A route with all of its stops, or as it was at a chosen moment. */
export function RouteScreen({ route, version }: RouteScreenProps) {
  const { facility, route_id, week_end } = route;
  const { data, fault } = useRead('readOpsRoute', { params: { facility, route_id, week_end } });
  const title = `${route_id} ${data?.route.name ?? ''}`.trim();
  return (
    <Page
      title={version === undefined ? title : t('route.thenTitle', { route: title, moment: momentOf(version, data) })}
      lead={version === undefined ? data && <Lead route={data.route} /> : t('route.thenLead')}
      crumbs={[
        { href: links.routes, text: t('nav.routes') },
        ...(version === undefined ? [] : [{ href: links.route(route), text: t('route.nowLink') }]),
      ]}
      acts={data && <ExportRows pages={() => [data.stops]} file={route_id} columns={exported()} />}
    >
      <FaultNote fault={fault} />
      {!data && !fault && <p className="small">{t('app.loading')}</p>}
      {data && (
        <>
          {version === undefined ? <Stops detail={data} /> : <RouteThen detail={data} version={version} />}
          <div className="mt4">
            <LegalHolds place={route} />
          </div>
          <div className="panel mt4">
            <div className="panel-head">
              <h2>{t('route.news')}</h2>
            </div>
            <RouteNews detail={data} shown={version} />
          </div>
        </>
      )}
    </Page>
  );
}

/** Where and which week; and its drivers, for a call. */
function Lead({ route: { facility, week_end, version, drivers } }: Pick<RouteDetail, 'route'>) {
  return (
    <>
      {t('route.lead', { facility, week: dayText(week_end), version })}
      {drivers.map(({ employee, name }) => (
        <Fragment key={employee}>
          {' · '}
          <a href={links.search(employee)}>{name === '' ? employee : `${name}, ${employee}`}</a>
        </Fragment>
      ))}
    </>
  );
}

/** The time of a version; its number where it is not among the latest changes. */
function momentOf(version: number, data: RouteDetail | undefined): string {
  const event = data?.latest.find((each) => each.version === version);
  return event ? timeIn(Date.parse(event.received_at), data?.route) : t('route.thenVersion', { n: version });
}

function Stops({ detail: { route, stops } }: { readonly detail: RouteDetail }) {
  return (
    <>
      <div className="panel">
        <StopLine route={route.route_id} stops={stops} />
      </div>
      <div className="panel scrolls mt4">
        <Table
          caption={t('route.caption')}
          rows={stops}
          keyOf={({ stop_id }) => String(stop_id)}
          hrefOf={links.stop}
          lookOf={(stop) => (isOffPlan(stop) || stop.parked_since !== null ? 'off' : undefined)}
          columns={columns()}
        />
      </div>
    </>
  );
}

const columns = () => [
  {
    head: t('route.stop'),
    cell: (stop: StopRow) => (
      <>
        <strong>
          {stop.stop_id} · {nameOf(stop)}
        </strong>
        <span className="sub">{[stop.city, ...stop.invoices].filter((each) => each !== '').join(' · ')}</span>
      </>
    ),
  },
  {
    head: t('route.planned'),
    cell: (stop: StopRow) => (stop.planned_at === null ? '–' : <Moment at={stop.planned_at} of={stop} inRow />),
  },
  { head: t('route.status'), cell: ({ status }: StopRow) => <StopStatus status={status} /> },
  { head: t('route.when'), cell: (stop: StopRow) => <WhenWho stop={stop} /> },
  {
    head: t('route.pieces'),
    cell: ({ status, delivered, planned }: StopRow) =>
      status === 'P' ? planned : t('route.of', { a: delivered, b: planned }),
    isNumber: true,
  },
  { head: t('routes.exceptions'), cell: ({ exceptions }: StopRow) => exceptions || '–', isNumber: true },
  { head: t('route.received'), cell: ({ received_by }: StopRow) => received_by || '–' },
  {
    head: t('route.files'),
    cell: ({ files, missing_files: missing }: StopRow) =>
      files === 0 ? '–' : t('route.fileCount', { here: files - missing, n: files }),
    isNumber: true,
  },
  { head: t('route.ticks'), cell: (stop: StopRow) => <ListTicks stop={stop} /> },
];

const exported = () => [
  { head: t('route.stop'), text: ({ stop_id }: StopRow) => stop_id },
  { head: t('route.customer'), text: ({ customer }: StopRow) => customer },
  { head: 'name', text: ({ customer_name }: StopRow) => customer_name },
  { head: t('route.city'), text: ({ city }: StopRow) => city },
  { head: t('route.invoices'), text: ({ invoices }: StopRow) => invoices.join(' ') },
  { head: t('route.planned'), text: ({ planned_at }: StopRow) => planned_at },
  { head: t('route.status'), text: ({ status }: StopRow) => status },
  { head: 'status_at', text: ({ status_at }: StopRow) => status_at },
  { head: 'status_by', text: ({ status_by }: StopRow) => status_by },
  { head: t('stop.planned'), text: ({ planned }: StopRow) => planned },
  { head: t('stop.delivered'), text: ({ delivered }: StopRow) => delivered },
  { head: t('routes.exceptions'), text: ({ exceptions }: StopRow) => exceptions },
  { head: t('route.received'), text: ({ received_by }: StopRow) => received_by },
  { head: t('route.files'), text: ({ files }: StopRow) => files },
  { head: 'missing_files', text: ({ missing_files }: StopRow) => missing_files },
  { head: t('route.atHost'), text: ({ on_host }: StopRow) => on_host },
];
