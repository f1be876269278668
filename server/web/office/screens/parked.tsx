import { useFilters } from '../address.ts';
import { useList } from '../api/reads.ts';
import { links } from '../links.ts';
import type { ParkedRow } from '../model/parked-list.ts';
import { Exports } from '../parts/exports.tsx';
import { Filter } from '../parts/filter.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { ListTable } from '../parts/table.tsx';
import { subjectText } from '../words/parked-sentences.ts';
import { t } from '../words/words.ts';

const states = ['open', 'skipped', 'all'] as const;

/** Rows that the host refuses (B7, B8). */
export function ParkedScreen() {
  const [filters, change] = useFilters();
  const state = states.find((each) => each === filters['state']) ?? 'open';
  const { cause = '' } = filters;
  const query = { state, cause };
  const listing = useList('listParked', query);
  const options = states.map((value) => ({ value, label: t(`parked.${value}`) }));
  return (
    <Page
      title={t('parked.title')}
      lead={t('parked.lead')}
      acts={
        <>
          <Filter
            label={t('parked.filter')}
            options={options}
            value={state}
            onChoose={(value) => change('state', value)}
          />
          <Exports list="listParked" query={query} file="parked" columns={exported()} />
        </>
      }
    >
      {cause !== '' && (
        <p className="small">
          {t('parked.ofCause')} <a href={links.parked}>{t('parked.every')}</a>
        </p>
      )}
      <ListTable
        caption={t('parked.caption')}
        listing={listing}
        empty={t('parked.empty')}
        keyOf={({ parked_id }) => parked_id}
        hrefOf={({ parked_id }) => links.repair(parked_id)}
        columns={[
          {
            head: t('parked.what'),
            cell: (row) => (
              <>
                <strong>{subjectText(row)}</strong>
                <span className="sub">{row.facility}</span>
              </>
            ),
          },
          {
            head: t('parked.why'),
            cell: ({ reason, sqlstate }) => (
              <>
                {reason}
                {sqlstate !== '' && <span className="sub">SQLSTATE {sqlstate}</span>}
              </>
            ),
          },
          { head: t('parked.since'), cell: (row) => <Moment at={row.parked_at} of={row} inRow /> },
          { head: t('parked.tries'), cell: ({ attempts }) => attempts, isNumber: true },
          {
            head: t('parked.next'),
            cell: (row) =>
              row.next_try_at === null ? (
                t('parked.skippedBy', { by: row.skipped_by ?? '' })
              ) : (
                <Moment at={row.next_try_at} of={row} inRow />
              ),
          },
        ]}
      />
    </Page>
  );
}

const exported = () => [
  { head: t('parked.what'), text: subjectText },
  { head: t('parked.file'), text: ({ file }: ParkedRow) => file },
  { head: t('parked.why'), text: ({ reason }: ParkedRow) => reason },
  { head: 'SQLSTATE', text: ({ sqlstate }: ParkedRow) => sqlstate },
  { head: t('parked.since'), text: ({ parked_at }: ParkedRow) => parked_at },
  { head: t('parked.tries'), text: ({ attempts }: ParkedRow) => attempts },
  { head: t('parked.next'), text: ({ next_try_at }: ParkedRow) => next_try_at },
  { head: t('parked.state'), text: ({ state }: ParkedRow) => state },
];
