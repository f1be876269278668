import { Chip } from '../../ui/parts/chip.tsx';
import { useFilters } from '../address.ts';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import type { StopKey } from '../links.ts';
import { ExportRows } from '../parts/exports.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { Filter } from '../parts/filter.tsx';
import { Moment } from '../parts/moment.tsx';
import { StopFrame, useStopView } from '../parts/stop-frame.tsx';
import { Table } from '../parts/table.tsx';
import { t } from '../words/words.ts';

type Comparison = DataOf<'compareStop'>;
type Field = Comparison['fields'][number];
type Side = 'phone' | 'server' | 'host';

/** Three columns (B13): the phone said, we hold, the host has; differences first. */
export function ColumnsScreen({ stop }: { readonly stop: StopKey }) {
  const [filters, change] = useFilters();
  const read = filters['host'] === 'live' ? 'live' : 'confirmed';
  const { facility, route_id, week_end, stop_id } = stop;
  const params = { facility, route_id, week_end, stop_id };
  const view = useStopView(stop);
  const { data, fault } = useRead('compareStop', { params, query: { host: read } });
  const isRefused = view.data?.host.parked_since != null;
  const options = (['confirmed', 'live'] as const).map((value) => ({ value, label: t(`compare.${value}`) }));
  return (
    <StopFrame stop={stop} reading={view} page="columns">
      <FaultNote fault={fault ?? view.fault} />
      <div className="panel">
        <div className="panel-head">
          <h2>{t('compare.title')}</h2>
          {data && <Verdict data={data} />}
          <Filter
            label={t('compare.read')}
            options={options}
            value={read}
            onChoose={(value) => change('host', value === 'live' ? value : '')}
          />
          {data && (
            <div className="acts">
              <ExportRows
                pages={() => [data.fields]}
                file={`${route_id}-${stop_id}-columns`}
                columns={exported(isRefused)}
              />
            </div>
          )}
        </div>
        {data && (
          <div className="scrolls three-c" role="group" aria-label={t('compare.title')} tabIndex={0}>
            <p className="panel-body small">
              {t('compare.phone')}:{' '}
              {data.phone_version === null ? t('compare.noPhone') : t('compare.phoneMore', { n: data.phone_version })} ·{' '}
              {t('compare.server')}: {t('compare.serverMore', { n: data.version })} · {t('compare.host')}:{' '}
              {data.host_at === null ? (
                t('compare.hostNone')
              ) : (
                <>
                  {t(`compare.${data.host_read}`)}{' '}
                  <Moment at={data.host_at} of={view.data?.summary ?? stop} form="exact" />
                  {data.host_trace !== '' && `, ${t('compare.hostTrace', { trace: data.host_trace })}`}
                </>
              )}
            </p>
            <Table
              caption={t('compare.title')}
              rows={data.fields}
              keyOf={({ file, row, column }) => `${file} ${row} ${column}`}
              columns={columns(isRefused)}
            />
          </div>
        )}
      </div>
    </StopFrame>
  );
}

function Verdict({ data: { different, fields } }: { readonly data: Comparison }) {
  if (different === 0)
    return (
      <Chip icon="check" tone="go">
        {t('compare.same')}
      </Chip>
    );
  return (
    <Chip icon="warn" tone="warn">
      {t('compare.differ', { n: different, all: fields.length })}
    </Chip>
  );
}

const column = (side: Side) => ({
  head: t(`compare.${side}`),
  cell: (field: Field) => <Value text={field[side]} />,
  // Only the cell that differs has a tint.
  lookOf: ({ differs }: Field) => (differs === side || differs === 'all' ? ('dif' as const) : undefined),
});

const columns = (isRefused: boolean) => [
  {
    head: t('compare.field'),
    cell: ({ label, file, row, column: name }: Field) => (
      <>
        {label}
        <span className="sub">
          {file} {name}
          {row !== '' && ` · ${row}`}
        </span>
      </>
    ),
  },
  column('phone'),
  column('server'),
  column('host'),
  {
    head: t('compare.verdict'),
    cell: (field: Field) =>
      field.differs === 'none' ? (
        <span className="small">{verdictOf(field, isRefused)}</span>
      ) : (
        <strong>≠ {verdictOf(field, isRefused)}</strong>
      ),
  },
];

const verdictOf = ({ differs }: Field, isRefused: boolean): string =>
  t(`compare.differs.${differs === 'host' && isRefused ? 'refused' : differs}`);

function Value({ text }: { readonly text: string | null }) {
  if (text === null) return <span className="small">{t('compare.noRow')}</span>;
  if (text === '') return <span className="small">{t('compare.blank')}</span>;
  return <span className="mono">{text}</span>;
}

const exported = (isRefused: boolean) => [
  { head: 'file', text: ({ file }: Field) => file },
  { head: 'row', text: ({ row }: Field) => row },
  { head: 'column', text: ({ column: name }: Field) => name },
  { head: t('compare.field'), text: ({ label }: Field) => label },
  { head: t('compare.phone'), text: ({ phone }: Field) => phone },
  { head: t('compare.server'), text: ({ server }: Field) => server },
  { head: t('compare.host'), text: ({ host }: Field) => host },
  { head: t('compare.verdict'), text: (field: Field) => verdictOf(field, isRefused) },
];
