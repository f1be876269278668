import type { FormEvent } from 'react';
import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { useAct } from '../act.ts';
import { useFilters } from '../address.ts';
import type { DataOf, RowOf } from '../api/operations.ts';
import { useList } from '../api/reads.ts';
import { useDraft } from '../drafts.ts';
import { links } from '../links.ts';
import type { Shown } from '../model/flag-review.ts';
import { isNewer, shownOf } from '../model/flag-review.ts';
import { DraftField } from '../parts/draft-field.tsx';
import { DriverName } from '../parts/driver-name.tsx';
import { Exports } from '../parts/exports.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { Filter } from '../parts/filter.tsx';
import { Moment } from '../parts/moment.tsx';
import { NeedsRole } from '../parts/needs-role.tsx';
import { Page } from '../parts/page.tsx';
import { ListTable } from '../parts/table.tsx';
import { may } from '../session.ts';
import { flagCodes, flagName } from '../words/cause-sentences.ts';
import { untilTime } from '../words/times.ts';
import { t } from '../words/words.ts';

type Flag = RowOf<'listFlags'>;

/** Saved changes with a warning that a person should read. */
export function FlagsScreen() {
  const [{ code = '' }, change] = useFilters();
  const listing = useList('listFlags', { code });
  const codes = [...new Set([...flagCodes, code])].filter((each) => each !== '');
  // Rows of an earlier visit are no list that this one had when it was opened.
  const newest = listing.isFresh ? listing.rows?.[0]?.received_at : undefined;
  const [before, setBefore] = useState<Shown>();
  const shown = code === '' ? undefined : shownOf(before, code, newest);
  if (shown !== undefined && shown !== before) setBefore(shown);
  return (
    <Page
      title={t('flags.title')}
      lead={t('flags.lead')}
      acts={
        <>
          <Filter
            label={t('flags.filter')}
            options={[
              { value: '', label: t('flags.every') },
              ...codes.map((value) => ({ value, label: flagName(value) })),
            ]}
            value={code}
            onChoose={(value) => change('code', value)}
          />
          <Exports list="listFlags" query={{ code }} file="flags" columns={exported()} />
        </>
      }
    >
      {shown && newest !== undefined && (
        <>
          <Review key={`${code} ${shown.through}`} {...shown} />
          {isNewer(shown, newest) && (
            <p className="small below" role="status">
              {t('flags.newer')}{' '}
              <button className="btn btn-link" type="button" onClick={() => setBefore({ code, through: newest })}>
                {t('flags.withNewer')}
              </button>
            </p>
          )}
        </>
      )}
      {code === '' && listing.rows !== undefined && listing.rows.length > 0 && (
        <p className="small below">{t('flags.choose')}</p>
      )}
      <ListTable
        caption={t('flags.caption')}
        listing={listing}
        empty={t('flags.empty')}
        keyOf={({ id, version }) => `${id} ${version}`}
        hrefOf={(flag) => links.history(flag, flag.id)}
        lookOf={({ received_at }) => (shown && isNewer(shown, received_at) ? 'off' : undefined)}
        columns={[
          {
            head: t('flags.what'),
            cell: ({ route_id: route, stop_id: n, facility }) => (
              <>
                <strong>{t('flags.stop', { route, n })}</strong>
                <span className="sub">{facility}</span>
              </>
            ),
          },
          {
            head: t('flags.why'),
            cell: ({ warnings }) =>
              warnings.map((warning) => (
                <span key={`${warning.code} ${warning.path}`} className="line">
                  {flagName(warning.code)}
                  <span className="sub">{warning.message}</span>
                </span>
              )),
          },
          { head: t('flags.who'), cell: DriverName },
          { head: t('flags.source'), cell: ({ source }) => t(`flags.${source}`) },
          { head: t('flags.at'), cell: (row) => <Moment at={row.received_at} of={row} inRow /> },
        ]}
      />
    </Page>
  );
}

/** The mark that a person has read the changes with one warning, up to the newest that was shown. */
function Review({ code, through }: Shown) {
  const review = useAct('reviewFlags');
  const draft = useDraft(`flags/${code}`);
  const [done, setDone] = useState<DataOf<'reviewFlags'>>();
  const note = draft.fields['note'] ?? '';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const answer = await review.run({ body: { code, through, ...(note.trim() !== '' && { note: note.trim() }) } });
    if (!answer) return;
    draft.clear();
    setDone(answer);
  };
  if (done)
    return (
      <Banner icon="check" tone="go" role="status">
        <p>
          {t('flags.done', {
            by: done.by,
            time: untilTime(Date.parse(done.reviewed_through), {}, 'exact'),
          })}
        </p>
      </Banner>
    );
  return (
    <form className="panel panel-body" noValidate onSubmit={(event) => void submit(event)}>
      <NeedsRole role="repair" />
      <FaultNote fault={review.fault} />
      {may('repair') && (
        <>
          <p className="small">{t('flags.actMore')}</p>
          <div className="form-row auto">
            <DraftField label={t('flags.note')} draft={draft} name="note" />
            <button className="btn btn-go" type="submit" aria-disabled={review.isBusy}>
              <Icon name="check" />
              {t('flags.act')}
            </button>
          </div>
        </>
      )}
    </form>
  );
}

const exported = () => [
  { head: t('flags.what'), text: ({ route_id: route, stop_id: n }: Flag) => t('flags.stop', { route, n }) },
  { head: 'facility', text: ({ facility }: Flag) => facility },
  { head: t('flags.why'), text: ({ warnings }: Flag) => warnings.map(({ code }) => code).join(' ') },
  { head: t('flags.who'), text: ({ employee }: Flag) => employee },
  { head: 'name', text: ({ employee_name }: Flag) => employee_name },
  { head: t('flags.source'), text: ({ source }: Flag) => source },
  { head: t('flags.at'), text: ({ received_at }: Flag) => received_at },
];
