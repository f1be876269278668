import type { FormEvent } from 'react';
import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { useAct } from '../act.ts';
import { useFilters, withFilters } from '../address.ts';
import type { RowOf } from '../api/operations.ts';
import { useList, useRead } from '../api/reads.ts';
import { useDraft } from '../drafts.ts';
import { links } from '../links.ts';
import { placeOfIncident } from '../model/incident.ts';
import { inLines } from '../model/kept-bytes.ts';
import { DraftField } from '../parts/draft-field.tsx';
import { Exports } from '../parts/exports.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { Filter } from '../parts/filter.tsx';
import { Moment } from '../parts/moment.tsx';
import { NeedsRole } from '../parts/needs-role.tsx';
import { Page } from '../parts/page.tsx';
import { ListTable } from '../parts/table.tsx';
import { may } from '../session.ts';
import { incidentKinds, incidentName } from '../words/cause-sentences.ts';
import { atTime } from '../words/times.ts';
import { t } from '../words/words.ts';

type Incident = RowOf<'listIncidents'>;
const states = ['open', 'acknowledged', 'all'] as const;

/** Events that a person must read; the chosen one below, with what became of it. */
export function IncidentsScreen({ chosen }: { readonly chosen: string | undefined }) {
  const [filters, change] = useFilters();
  const { kind = '' } = filters;
  const state = states.find((each) => each === filters['state']) ?? 'open';
  const query = { state, kind } as const;
  const listing = useList('listIncidents', query);
  const kinds = [...new Set([...incidentKinds, kind])].filter((each) => each !== '');
  const isChosen = ({ incident_id }: Incident): boolean => incident_id === chosen;
  // Read by its id: it may be on a further page of the list, and it stays in sight after its close.
  const one = useRead(
    'listIncidents',
    chosen === undefined ? undefined : { query: { incident_id: chosen, state: 'all' } },
  );
  const incident = one.data?.[0] ?? listing.rows?.find(isChosen);
  return (
    <Page
      title={t('incidents.title')}
      lead={t('incidents.lead')}
      acts={
        <>
          <Filter
            label={t('incidents.kinds')}
            options={[
              { value: '', label: t('incidents.everyKind') },
              ...kinds.map((value) => ({ value, label: incidentName(value) })),
            ]}
            value={kind}
            onChoose={(value) => change('kind', value)}
          />
          <Filter
            label={t('incidents.filter')}
            options={states.map((value) => ({ value, label: t(`incidents.${value}`) }))}
            value={state}
            onChoose={(value) => change('state', value)}
          />
          <Exports list="listIncidents" query={query} file="incidents" columns={exported()} />
        </>
      }
    >
      {incident && <Chosen key={incident.incident_id} incident={incident} />}
      <FaultNote fault={one.fault} />
      {one.data && !incident && <p>{t('incidents.gone')}</p>}
      <ListTable
        caption={t('incidents.caption')}
        listing={listing}
        empty={t('incidents.empty')}
        keyOf={({ incident_id }) => incident_id}
        hrefOf={({ incident_id }) => withFilters(links.incident(incident_id), filters)}
        lookOf={(row) => (isChosen(row) ? 'sel' : undefined)}
        columns={[
          { head: t('incidents.what'), cell: ({ kind: what }) => <strong>{incidentName(what)}</strong> },
          { head: t('incidents.where'), cell: whereText },
          { head: t('incidents.who'), cell: ({ employee }) => employee ?? '–' },
          {
            head: t('incidents.at'),
            cell: ({ at, details }) => <Moment at={at} of={placeOfIncident(details)} inRow />,
          },
          { head: t('incidents.state'), cell: (row) => t(`incidents.${row.state}`) },
        ]}
      />
    </Page>
  );
}

function whereText({ details }: Incident): string {
  const { facility, route_id: route, stop_id: n } = placeOfIncident(details);
  if (route === undefined) return facility ?? '–';
  return n === undefined ? route : t('parked.stop', { route, n });
}

function Chosen({ incident }: { readonly incident: Incident }) {
  const { incident_id, kind, details, state, acknowledged_by: by, acknowledged_at: at, note } = incident;
  const act = useAct('acknowledgeIncident');
  const draft = useDraft(`incident/${incident_id}`);
  const [isMissing, setMissing] = useState(false);
  const text = draft.fields['note'] ?? '';
  const isWrong = isMissing && text.trim() === '';
  const { facility, route_id, week_end, stop_id } = placeOfIncident(details);
  const isAtStop = facility !== undefined && route_id !== undefined && week_end !== undefined && stop_id !== undefined;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setMissing(text.trim() === '');
    if (text.trim() === '') return;
    if (await act.run({ params: { incident_id }, body: { note: text.trim() } })) draft.clear();
  };
  return (
    <div className="cols one-one below">
      <div className="panel">
        <div className="panel-head">
          <h2>{incidentName(kind)}</h2>
          {isAtStop && (
            <a className="btn" href={links.history({ facility, route_id, week_end, stop_id })}>
              {t('incidents.toStop')}
            </a>
          )}
        </div>
        <div className="panel-body">
          <p className="small">{t('incidents.details')}</p>
          <pre className="bytes" tabIndex={0} aria-label={t('incidents.details')}>
            {inLines(details) ?? details}
          </pre>
        </div>
      </div>
      <div className="panel">
        <div className="panel-head">
          <h2>{t('incidents.decide')}</h2>
        </div>
        <form className="panel-body" noValidate onSubmit={(event) => void submit(event)}>
          <FaultNote fault={act.fault} />
          {state === 'acknowledged' ? (
            <p role="status">
              {t('incidents.by', {
                by: by ?? '',
                time: at === null ? '' : atTime(Date.parse(at), { facility }),
                note: note ?? '',
              })}
            </p>
          ) : (
            <>
              <NeedsRole role="repair" />
              {may('repair') && (
                <>
                  <DraftField label={t('incidents.note')} draft={draft} name="note" isWrong={isWrong} />
                  {isWrong && (
                    <p className="hint badword" role="alert">
                      {t('incidents.noNote')}
                    </p>
                  )}
                  <button className="btn btn-go mt" type="submit" aria-disabled={act.isBusy}>
                    <Icon name="check" />
                    {t('incidents.act')}
                  </button>
                </>
              )}
            </>
          )}
        </form>
      </div>
    </div>
  );
}

const exported = () => [
  { head: t('incidents.what'), text: ({ kind }: Incident) => kind },
  { head: t('incidents.where'), text: whereText },
  { head: t('incidents.who'), text: ({ employee }: Incident) => employee },
  { head: t('incidents.at'), text: ({ at }: Incident) => at },
  { head: t('incidents.details'), text: ({ details }: Incident) => details },
  { head: t('incidents.state'), text: ({ state }: Incident) => state },
  { head: t('incidents.note'), text: ({ note }: Incident) => note },
];
