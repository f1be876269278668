import { useMemo } from 'react';
import { useFilters, withFilters } from '../address.ts';
import type { QueryOf } from '../api/operations.ts';
import { useRouteList } from '../api/route-list.ts';
import type { RouteKey } from '../links.ts';
import { links } from '../links.ts';
import type { RouteRow } from '../model/route-row.ts';
import { sumOf } from '../model/route-row.ts';
import { Exports } from '../parts/exports.tsx';
import { Filter } from '../parts/filter.tsx';
import { Page } from '../parts/page.tsx';
import { routeColumns, routeExport } from '../parts/route-cells.tsx';
import { RoutePanel } from '../parts/route-panel.tsx';
import { ListTable } from '../parts/table.tsx';
import { useNow } from '../use-now.ts';
import { useSignal } from '../use-signal.ts';
import { dayKey } from '../words/times.ts';
import { t } from '../words/words.ts';
import { facilities } from '../zones.ts';

const states = ['open', 'closed', 'all'] as const;
type State = (typeof states)[number];

/** Between two drawings of the ages. */
const ageMs = 15_000;

/** Today's routes (B2): progress, exceptions, delay, drivers, the work on phones; the chosen one with its line below it. */
export function RoutesScreen({ chosen }: { readonly chosen: RouteKey | undefined }) {
  const now = useNow(ageMs);
  const columns = useMemo(() => routeColumns(now), [now]);
  const [filters, change] = useFilters();
  const known = useSignal(facilities);
  const { facility = '', date = '' } = filters;
  const state = states.find((each) => each === filters['state']) ?? 'open';
  const query = queryOf(facility, state, date);
  const { rows, fault } = useRouteList(query);
  const sums = sumOf(rows ?? []);
  const stateWords = { open: 'routes.open', closed: 'routes.closed', all: 'routes.both' } as const;
  const named = known.map(({ id, name }) => ({ value: id, label: `${id} ${name}` }));
  const places = named.some(({ value }) => value === facility || facility === '')
    ? named
    : [...named, { value: facility, label: facility }];
  return (
    <Page
      title={date === '' ? t('routes.title') : t('routes.titleAt', { day: date })}
      lead={
        rows &&
        [
          t('routes.count', { n: sums.routes }),
          t('routes.lead', sums),
          t('routes.withExceptions', { n: sums.withExceptions }),
        ].join(' · ')
      }
      acts={
        <>
          <Filter
            label={t('routes.facility')}
            options={[{ value: '', label: t('routes.all') }, ...places]}
            value={facility}
            onChoose={(value) => change('facility', value)}
          />
          <Filter
            label={t('routes.state')}
            options={states.map((value) => ({ value, label: t(stateWords[value]) }))}
            value={state}
            onChoose={(value) => change('state', value === 'open' ? '' : value)}
          />
          <label className="filter">
            <span className="sr">{t('routes.date')}</span>
            <input
              className="input"
              type="date"
              value={date.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')}
              onChange={(event) => change('date', event.currentTarget.value.replaceAll('-', ''))}
            />
          </label>
          <Exports list="listRoutes" query={query} file="routes" columns={routeExport()} />
        </>
      }
    >
      <ListTable
        caption={t('routes.caption')}
        listing={{ rows, fault, hasMore: false, isBusy: false, more: () => undefined }}
        empty={t('routes.empty')}
        keyOf={keyOf}
        // A second click closes what the first one has opened.
        hrefOf={(row) => withFilters(isOf(row, chosen) ? links.routes : links.chosenRoute(row), filters)}
        lookOf={(row) => (isOf(row, chosen) ? 'sel' : undefined)}
        below={(row) => (isOf(row, chosen) ? <RoutePanel {...keyFields(row)} /> : undefined)}
        columns={columns}
      />
      {chosen && rows && !rows.some((row) => isOf(row, chosen)) && (
        <div className="panel mt4">
          <RoutePanel {...chosen} />
        </div>
      )}
    </Page>
  );
}

/** Closed routes need a day: today's, where none is chosen. */
function queryOf(facility: string, state: State, date: string): QueryOf<'listRoutes'> {
  const day = date === '' && state !== 'open' ? dayKey(Date.now(), { facility }) : date;
  return { ...(facility !== '' && { facility }), ...(day !== '' && { date: day }), state };
}

const keyFields = ({ facility, route_id, week_end }: RouteRow): RouteKey => ({ facility, route_id, week_end });
const keyOf = ({ facility, route_id, week_end }: RouteRow): string => `${facility}/${route_id}/${week_end}`;
const isOf = (row: RouteRow, chosen: RouteKey | undefined): boolean =>
  chosen?.route_id === row.route_id && chosen.facility === row.facility && chosen.week_end === row.week_end;
