import { useFilters, withFilters } from '../address.ts';
import type { RowOf } from '../api/operations.ts';
import { useList } from '../api/reads.ts';
import { links } from '../links.ts';
import { DriverName } from '../parts/driver-name.tsx';
import { Exports } from '../parts/exports.tsx';
import { Filter } from '../parts/filter.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { ListTable } from '../parts/table.tsx';
import { keptSubject } from '../words/kept-sentences.ts';
import { t } from '../words/words.ts';

type Row = RowOf<'listQuarantine'>;
const states = ['open', 'released', 'dismissed', 'all'] as const;

/** Changes that the server could not apply (B9). */
export function QuarantineScreen() {
  const [filters, change] = useFilters();
  const { code: ofCode = '', name: ofName = '' } = filters;
  const state = states.find((each) => each === filters['state']) ?? 'open';
  const query = { state, code: ofCode, name: ofName } as const;
  const listing = useList('listQuarantine', query);
  const options = states.map((value) => ({ value, label: t(`quarantine.${value}`) }));
  return (
    <Page
      title={t('quarantine.title')}
      lead={t('quarantine.lead')}
      acts={
        <>
          <Filter
            label={t('quarantine.filter')}
            options={options}
            value={state}
            onChoose={(value) => change('state', value)}
          />
          <Exports list="listQuarantine" query={query} file="quarantine" columns={exported()} />
        </>
      }
    >
      {(ofCode !== '' || ofName !== '') && (
        <p className="small">
          {t('quarantine.ofCause', { cause: [ofName, ofCode].filter((each) => each !== '').join(' · ') })}{' '}
          <a className="btn btn-link" href={withFilters(links.quarantine, { ...filters, code: '', name: '' })}>
            {t('quarantine.every')}
          </a>
        </p>
      )}
      <ListTable
        caption={t('quarantine.caption')}
        listing={listing}
        empty={t('quarantine.empty')}
        keyOf={({ quarantine_id }) => quarantine_id}
        hrefOf={({ quarantine_id }) => links.kept(quarantine_id)}
        columns={[
          {
            head: t('quarantine.what'),
            cell: (row) => (
              <>
                <strong>{keptSubject(row)}</strong>
                <span className="sub">{row.name}</span>
              </>
            ),
          },
          { head: t('quarantine.who'), cell: DriverName },
          {
            head: t('quarantine.why'),
            cell: ({ reason, code }) => (
              <>
                {reason}
                <span className="sub">{code}</span>
              </>
            ),
          },
          { head: t('quarantine.came'), cell: (row) => <Moment at={row.received_at} of={row} inRow /> },
          { head: t('quarantine.times'), cell: ({ attempts }) => attempts, isNumber: true },
          { head: t('quarantine.state'), cell: (row) => t(`quarantine.${row.state}`) },
        ]}
      />
    </Page>
  );
}

const exported = () => [
  { head: t('quarantine.what'), text: keptSubject },
  { head: t('quarantine.who'), text: ({ employee }: Row) => employee },
  { head: 'name', text: ({ employee_name }: Row) => employee_name },
  { head: 'code', text: ({ code }: Row) => code },
  { head: t('quarantine.why'), text: ({ reason }: Row) => reason },
  { head: t('quarantine.came'), text: ({ received_at }: Row) => received_at },
  { head: t('quarantine.times'), text: ({ attempts }: Row) => attempts },
  { head: t('quarantine.state'), text: ({ state }: Row) => state },
];
