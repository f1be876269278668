import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Chip } from '../../ui/parts/chip.tsx';
import type { DataOf, RowOf } from '../api/operations.ts';
import { useList, useRead } from '../api/reads.ts';
import { links } from '../links.ts';
import { Exports } from '../parts/exports.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { LagPanel } from '../parts/lag-chart.tsx';
import { CountsPanel } from '../parts/counts.tsx';
import { ShadowPanel } from '../parts/shadow.tsx';
import { DoctorPanel } from '../parts/doctor.tsx';
import { DrillsPanel } from '../parts/drills.tsx';
import { FirstLoadBanner } from '../parts/first-load.tsx';
import { HoldForm, HoldList } from '../parts/holds.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { ListTable, Table } from '../parts/table.tsx';
import { TablePanel } from '../parts/table-panel.tsx';
import { may } from '../session.ts';
import { dayText, timeIn, untilTime } from '../words/times.ts';
import { span, t } from '../words/words.ts';

type Status = DataOf<'readReplication'>;
type RouteRow = RowOf<'listRouteBacklog'>;

/** The host (B10): how far it is behind, by file and route, its connection, its holds. */
export function HostScreen() {
  const { data, fault } = useRead('readReplication', {});
  const routes = useList('listRouteBacklog', {});
  const [form, setForm] = useState<'now' | 'planned'>();
  return (
    <Page
      title={t('host.title')}
      lead={t('host.lead')}
      acts={
        <>
          {may('admin') && (
            <>
              <button className="btn" type="button" onClick={() => setForm('planned')}>
                <Icon name="clock" />
                {t('host.planHold')}
              </button>
              <button className="btn" type="button" onClick={() => setForm('now')}>
                <Icon name="pause" />
                {t('host.holdNow')}
              </button>
            </>
          )}
          <Exports list="listRouteBacklog" query={{}} file="host-routes" columns={exported()} />
        </>
      }
    >
      <FaultNote fault={fault} />
      {form && <HoldForm key={form} isPlanned={form === 'planned'} onClose={() => setForm(undefined)} />}
      {data && (
        <>
          <FirstLoadBanner />
          <Figures status={data} />
          <LagPanel seconds={Math.round(data.lag_seconds)} />
          <div className="mt4">
            <HoldList />
          </div>
          <div className="cols one-one mt4">
            <Files status={data} />
            <TablePanel title={t('host.byRoute')}>
              <ListTable
                caption={t('host.byRoute')}
                listing={routes}
                isWithin
                empty={t('host.noRoute')}
                keyOf={({ facility, route_id, week_end }) => `${facility}/${route_id}/${week_end}`}
                columns={routeColumns(data.workers)}
              />
            </TablePanel>
          </div>
          <ShadowPanel />
          <div className="mt4">
            <CountsPanel />
          </div>
          <div className="mt4">
            <Workers status={data} />
          </div>
          <div className="mt4">
            <DoctorPanel />
          </div>
          <div className="mt4">
            <DrillsPanel />
          </div>
        </>
      )}
    </Page>
  );
}

function Figures({ status }: { readonly status: Status }) {
  const { lag_seconds: lag, routes_behind: routes, versions_behind: n, parked, hold, workers } = status;
  const live = workers.filter(({ alive }) => alive);
  const isAway = live.some(({ breaker }) => breaker?.state === 'open');
  return (
    <div className="figs">
      <div className="fig">
        <span>{t('host.behind')}</span>
        <b>{lag === 0 ? t('host.upToDate') : span(lag * 1_000)}</b>
        {lag > 0 && <span>{t('host.lagMore')}</span>}
      </div>
      <div className="fig">
        <span>{t('host.routesBehind')}</span>
        <b>{routes}</b>
        <span>{t('host.versions', { n })}</span>
      </div>
      <div className="fig">
        <span>{t('host.refused')}</span>
        <b>{t('host.rows', { n: parked })}</b>
        <a href={links.parked}>{t('host.toParked')}</a>
      </div>
      <div className="fig">
        <span>{t('host.connection')}</span>
        <b>{t(live.length === 0 ? 'host.noWorker' : isAway ? 'host.away' : 'host.open')}</b>
        <span>{t('host.workers', { n: live.length })}</span>
      </div>
      <div className="fig">
        <span>{t('host.nextHold')}</span>
        <b>{hold ? timeIn(Date.parse(hold.from)) : t('host.noHold')}</b>
        {hold && (
          <span>
            {hold.until === null ? t('host.noEnd') : t('host.until', { time: untilTime(Date.parse(hold.until)) })}
          </span>
        )}
      </div>
    </div>
  );
}

function Files({ status: { files } }: { readonly status: Status }) {
  return (
    <TablePanel title={t('host.files')}>
      <Table
        caption={t('host.files')}
        rows={files}
        keyOf={({ file }) => file}
        columns={[
          { head: t('host.file'), cell: ({ file }) => <span className="mono">{file}</span> },
          { head: t('host.behind'), cell: ({ behind }) => behind, isNumber: true },
          { head: t('host.refused'), cell: ({ parked }) => parked, isNumber: true },
          {
            head: t('host.oldest'),
            cell: ({ oldest_pending_at: oldest }) => (oldest === null ? '–' : <Moment at={oldest} />),
          },
          { head: t('host.state'), cell: (file) => <FileState file={file} /> },
        ]}
      />
    </TablePanel>
  );
}

function FileState({ file: { behind, parked } }: { readonly file: Status['files'][number] }) {
  if (parked > 0)
    return (
      <Chip icon="x" tone="bad">
        {t('host.refuses')}
      </Chip>
    );
  if (behind > 0) return <Chip icon="clock">{t('host.onItsWay')}</Chip>;
  return (
    <Chip icon="check" tone="go">
      {t('host.hasAll')}
    </Chip>
  );
}

/** The machine of the worker that holds the lease of a route. */
function holderOf({ claimed_by: id }: RouteRow, workers: Status['workers']): string {
  if (id === null) return '–';
  return workers.find(({ worker }) => worker === id)?.node ?? id.slice(0, 8);
}

const routeColumns = (workers: Status['workers']) => [
  {
    head: t('host.route'),
    cell: ({ route_id, facility, week_end }: RouteRow) => (
      <>
        <strong>{route_id}</strong>
        <span className="sub">
          {facility} · {dayText(week_end)}
        </span>
      </>
    ),
  },
  {
    head: t('host.behind'),
    cell: ({ version, hosted_through }: RouteRow) => version - hosted_through,
    isNumber: true,
  },
  {
    head: t('host.since'),
    cell: (row: RouteRow) => <Moment at={row.oldest_pending_at ?? row.changed_at} of={row} />,
  },
  { head: t('host.refused'), cell: ({ parked }: RouteRow) => parked, isNumber: true },
  { head: t('host.lease'), cell: (row: RouteRow) => holderOf(row, workers) },
];

const exported = () => [
  { head: t('host.route'), text: ({ route_id }: RouteRow) => route_id },
  { head: 'facility', text: ({ facility }: RouteRow) => facility },
  { head: 'week_end', text: ({ week_end }: RouteRow) => week_end },
  { head: t('host.behind'), text: ({ version, hosted_through }: RouteRow) => version - hosted_through },
  { head: t('host.refused'), text: ({ parked }: RouteRow) => parked },
  { head: t('host.since'), text: ({ oldest_pending_at }: RouteRow) => oldest_pending_at },
  { head: t('host.lease'), text: ({ claimed_by }: RouteRow) => claimed_by },
];

function Workers({ status: { workers } }: { readonly status: Status }) {
  return (
    <TablePanel title={t('host.worker')}>
      <Table
        caption={t('host.worker')}
        rows={workers}
        keyOf={({ worker }) => worker}
        columns={[
          {
            head: t('host.worker'),
            cell: ({ node, worker }) => (
              <>
                {node}
                <span className="sub mono">{worker}</span>
              </>
            ),
          },
          { head: t('host.started'), cell: ({ started_at }) => <Moment at={started_at} /> },
          { head: t('host.seen'), cell: ({ seen_at }) => <Moment at={seen_at} form="exact" /> },
          {
            head: t('host.breaker'),
            cell: ({ breaker, paused }) => (
              <>
                {breaker && t(breaker.state === 'open' ? 'host.away' : 'host.open')} {breaker?.reason}
                {paused.map(({ file, reason }) => (
                  <span key={file} className="sub">
                    {t('host.paused', { file, why: reason })}
                  </span>
                ))}
              </>
            ),
          },
        ]}
      />
    </TablePanel>
  );
}
