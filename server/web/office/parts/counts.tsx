import { Chip } from '../../ui/parts/chip.tsx';
import type { RowOf } from '../api/operations.ts';
import { useList } from '../api/reads.ts';
import { t } from '../words/words.ts';
import { Exports } from './exports.tsx';
import { Moment } from './moment.tsx';
import { ListTable } from './table.tsx';
import { TablePanel } from './table-panel.tsx';

type CountRow = RowOf<'listReconciliation'>;
type Kind = 'stops' | 'lines' | 'exceptions' | 'photos';

const kinds: readonly Kind[] = ['stops', 'lines', 'exceptions', 'photos'];

/** The host's own rows against what the service accepted, by route and day. */
export function CountsPanel() {
  const counts = useList('listReconciliation', {});
  return (
    <TablePanel
      title={t('host.counts')}
      beside={<Exports list="listReconciliation" query={{}} file="host-counts" columns={exported} />}
    >
      <ListTable
        caption={t('host.counts')}
        listing={counts}
        isWithin
        empty={t('host.noCounts')}
        keyOf={(row) => [row.facility, row.route_id, row.week_end, row.occasion, row.day].join('/')}
        columns={[
          { head: t('host.route'), cell: (row) => <Place row={row} /> },
          { head: t('host.counted'), cell: ({ counted_at }) => <Moment at={counted_at} /> },
          ...kinds.map((kind) => ({
            head: t(`host.${kind}`),
            cell: (row: CountRow) => <Figures count={row[kind]} />,
            lookOf: (row: CountRow) => (row[kind].differs ? ('dif' as const) : undefined),
          })),
          { head: t('host.state'), cell: (row) => <State row={row} /> },
        ]}
      />
    </TablePanel>
  );
}

function Place({ row: { facility, route_id, week_end, occasion, day } }: { readonly row: CountRow }) {
  return (
    <>
      <strong>{route_id ?? t('host.facilitySum')}</strong>
      <span className="sub">
        {facility} {week_end} · {t(occasion === 'close' ? 'host.atClose' : 'host.atDayEnd')} {day}
      </span>
    </>
  );
}

function Figures({ count: { accepted, on_host: found, parked, late, extra } }: { readonly count: CountRow[Kind] }) {
  const parts = [
    parked > 0 && t('host.partParked', { n: parked }),
    late > 0 && t('host.partLate', { n: late }),
    extra > 0 && t('host.partExtra', { n: extra }),
  ].filter((part) => part !== false);
  return (
    <>
      {t('host.ofAccepted', { found, accepted })}
      {parts.length > 0 && <span className="sub">{parts.join(', ')}</span>}
    </>
  );
}

function State({ row: { differs, differing_stops: stops } }: { readonly row: CountRow }) {
  if (!differs)
    return (
      <Chip icon="check" tone="go">
        {t('host.agrees')}
      </Chip>
    );
  return (
    <Chip icon="x" tone="bad">
      {stops.length === 0 ? t('host.differsFiles') : t('host.differs', { stops: stops.join(', ') })}
    </Chip>
  );
}

const exported = [
  { head: 'facility', text: ({ facility }: CountRow) => facility },
  { head: 'route', text: ({ route_id }: CountRow) => route_id },
  { head: 'week_end', text: ({ week_end }: CountRow) => week_end },
  { head: 'occasion', text: ({ occasion }: CountRow) => occasion },
  { head: 'day', text: ({ day }: CountRow) => day },
  { head: 'counted_at', text: ({ counted_at }: CountRow) => counted_at },
  ...kinds.flatMap((kind) =>
    (['accepted', 'on_host', 'parked', 'late', 'extra'] as const).map((part) => ({
      head: `${kind}_${part}`,
      text: (row: CountRow) => row[kind][part],
    })),
  ),
  { head: 'stops', text: ({ differing_stops: stops }: CountRow) => stops.join(' ') },
];
