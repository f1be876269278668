import type { ReactNode } from 'react';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import { foundLink, links } from '../links.ts';
import { PrintButton, SaveRows } from '../parts/exports.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { Page } from '../parts/page.tsx';
import {
  customerColumns,
  driverColumns,
  fileColumns,
  mutationColumns,
  routeColumns,
  stopColumns,
} from '../parts/search-columns.tsx';
import {
  customerExport,
  driverExport,
  fileExport,
  mutationExport,
  routeExport,
  stopExport,
} from '../parts/search-exports.ts';
import { FileView } from '../parts/stop-file.tsx';
import { Table } from '../parts/table.tsx';
import { dayKey } from '../words/times.ts';
import { t } from '../words/words.ts';

type Found = DataOf<'search'>;
const kinds = ['stops', 'routes', 'customers', 'drivers', 'files', 'mutations'] as const;
type Kind = (typeof kinds)[number];

const shortest = 2;

/** The search (B3): results by kind, stops first, those of today on top. */
export function SearchScreen({ text }: { readonly text: string }) {
  const isAsked = text.trim().length >= shortest;
  const { data, fault } = useRead('search', isAsked ? { query: { q: text, limit: 50 } } : undefined);
  const n = data ? kinds.reduce((sum, kind) => sum + data[kind].length, 0) : 0;
  const stops = data ? todayFirst(data.stops) : [];
  return (
    <Page
      title={!data ? t('search.title') : n === 0 ? t('search.none', { text }) : t('search.titleOf', { n, text })}
      lead={!isAsked ? t('search.start') : n > 0 && t('search.lead')}
      acts={n > 0 && <PrintButton />}
    >
      <FaultNote fault={fault} />
      {isAsked && !data && !fault && <p className="small">{t('app.loading')}</p>}
      {data && <Results found={data} stops={stops} text={text} />}
    </Page>
  );
}

/** Stops of today, by the clock of their facility, before the others. */
function todayFirst(stops: Found['stops']): Found['stops'] {
  const isToday = (stop: Found['stops'][number]): boolean => stop.dispatched_on === dayKey(Date.now(), stop);
  return [...stops.filter(isToday), ...stops.filter((stop) => !isToday(stop))];
}

interface ResultsProps {
  readonly found: Found;
  readonly stops: Found['stops'];
  readonly text: string;
}

function Results({ found, stops, text }: ResultsProps) {
  const { routes, customers, drivers, files, mutations, more } = found;
  const missing = kinds.filter((kind) => found[kind].length === 0 && !more.includes(kind));
  const tooMany = kinds.filter((kind) => found[kind].length === 0 && more.includes(kind));
  const group = (kind: Kind, exports: ReactNode, content: ReactNode): ReactNode =>
    found[kind].length > 0 && (
      <section className="panel">
        <div className="panel-head">
          <h2>{t(`search.${kind}`, { n: found[kind].length })}</h2>
          {more.includes(kind) && <span className="small">{t('search.more')}</span>}
          {exports}
        </div>
        <div className="scrolls">{content}</div>
      </section>
    );
  return (
    <div className="found" aria-live="polite">
      {group(
        'stops',
        <SaveRows pages={() => [stops]} file="found-stops" columns={stopExport()} />,
        <Table
          caption={t('search.kind.stops')}
          rows={stops}
          keyOf={(stop) => links.stop(stop)}
          hrefOf={links.stop}
          columns={stopColumns(text)}
        />,
      )}
      {group(
        'routes',
        <SaveRows pages={() => [routes]} file="found-routes" columns={routeExport} />,
        <Table
          caption={t('search.kind.routes')}
          rows={routes}
          keyOf={(route) => links.route(route)}
          hrefOf={(route) => links.route(route)}
          columns={routeColumns(text)}
        />,
      )}
      {group(
        'customers',
        <SaveRows pages={() => [customers]} file="found-customers" columns={customerExport} />,
        <Table
          caption={t('search.kind.customers')}
          rows={customers}
          keyOf={({ facility, customer }) => `${facility} ${customer}`}
          hrefOf={({ customer }) => links.search(customer)}
          columns={customerColumns(text)}
        />,
      )}
      {group(
        'drivers',
        <SaveRows pages={() => [drivers]} file="found-drivers" columns={driverExport} />,
        <Table
          caption={t('search.kind.drivers')}
          rows={drivers}
          keyOf={({ employee }) => employee}
          hrefOf={({ employee }) => links.phonesOf(employee)}
          columns={driverColumns(text)}
        />,
      )}
      {group(
        'files',
        <SaveRows pages={() => [files]} file="found-files" columns={fileExport} />,
        <>
          <Table
            caption={t('search.kind.files')}
            rows={files}
            keyOf={({ asset_id }) => asset_id}
            columns={fileColumns(text)}
          />
          <div className="panel-body pics">
            {files.map((file) => (
              <FileView key={file.asset_id} file={file} label={file.name || file.asset_id} />
            ))}
          </div>
        </>,
      )}
      {group(
        'mutations',
        <SaveRows pages={() => [mutations]} file="found-changes" columns={mutationExport} />,
        <Table
          caption={t('search.kind.mutations')}
          rows={mutations}
          keyOf={({ id, quarantine_id }) => `${id} ${quarantine_id}`}
          hrefOf={foundLink}
          columns={mutationColumns(text)}
        />,
      )}
      {tooMany.length > 0 && (
        <p className="small">
          {t('search.tooMany', { kinds: tooMany.map((kind) => t(`search.kind.${kind}`)).join(', ') })}
        </p>
      )}
      {missing.length > 0 && (
        <p className="small">
          {t('search.nothing', { kinds: missing.map((kind) => t(`search.kind.${kind}`)).join(', ') })}
        </p>
      )}
    </div>
  );
}
