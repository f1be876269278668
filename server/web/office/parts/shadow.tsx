import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import { links } from '../links.ts';
import { t } from '../words/words.ts';
import { FaultNote } from './fault-note.tsx';
import { Table } from './table.tsx';
import { TablePanel } from './table-panel.tsx';

type Report = DataOf<'readShadow'>;
type Kind = Report['kinds'][number];

/**
 * Facilities in shadow: what the service would write, against what another system has written. Absent without any. The
 * server compares all of their stops, so it does so once, and again by a button.
 */
export function ShadowPanel() {
  const [asked, setAsked] = useState(0);
  return <Comparison key={asked} onAgain={() => setAsked(asked + 1)} />;
}

function Comparison({ onAgain }: { readonly onAgain: () => void }) {
  const { data, fault, isFresh } = useRead('readShadow', {});
  const isBusy = !isFresh && !fault;
  if (!data || (data.routes === 0 && data.modes.every(({ mode }) => mode === 'live'))) return null;
  return (
    <div className="mt4">
      <TablePanel
        title={t('host.shadow')}
        beside={
          <>
            <span className="small" role="status">
              {isBusy && t('host.shadowBusy')}
            </span>
            <button className="btn" type="button" aria-disabled={isBusy} onClick={isBusy ? undefined : onAgain}>
              <Icon name="retry" />
              {t('host.shadowAgain')}
            </button>
          </>
        }
      >
        <FaultNote fault={fault} />
        <p className="sub">{modesOf(data)}</p>
        <p className="sub">
          {t('host.shadowSum', {
            routes: data.routes,
            stops: data.stops,
            equal: data.equal_stops,
            excused: data.excused,
          })}
        </p>
        {!data.complete && <p className="sub">{t('host.shadowMore')}</p>}
        {data.kinds.length > 0 && (
          <Table
            caption={t('host.shadow')}
            rows={data.kinds}
            keyOf={({ verdict, file, column }) => `${verdict} ${file}.${column}`}
            columns={[
              { head: t('host.shadowKind'), cell: (kind) => <KindCell kind={kind} /> },
              { head: t('host.shadowCount'), cell: ({ count }) => count, isNumber: true },
              { head: t('host.shadowFirst'), cell: ({ first }) => <Examples first={first} /> },
            ]}
          />
        )}
      </TablePanel>
    </div>
  );
}

const modesOf = ({ modes }: Report): string =>
  modes.map(({ facility, mode }) => `${facility ?? t('host.shadowDefault')}: ${t(`host.mode.${mode}`)}`).join(' · ');

function KindCell({ kind: { verdict, file, column, label } }: { readonly kind: Kind }) {
  const words = {
    different: 'host.shadowDiffers',
    'missing there': 'host.shadowThere',
    'missing here': 'host.shadowHere',
  } as const;
  return (
    <>
      <strong>{column === '' ? file : `${file}.${column}`}</strong>
      <span className="sub">
        {t(words[verdict])} · {label}
      </span>
    </>
  );
}

function Examples({ first }: Pick<Kind, 'first'>) {
  return (
    <ul>
      {first.map(({ facility, route_id, week_end, stop_id, row, tailgate, other_system: other }) => {
        const route = { facility, route_id, week_end };
        const address = stop_id === null ? links.route(route) : links.comparison({ ...route, stop_id });
        return (
          <li key={`${facility}/${route_id}/${week_end}/${stop_id}/${row}`}>
            <a className="btn btn-link" href={address}>
              {stop_id === null ? route_id : `${route_id} · ${stop_id}`}
            </a>{' '}
            {tailgate || '–'} | {other || '–'}
          </li>
        );
      })}
    </ul>
  );
}
