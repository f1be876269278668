import { useId, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { useAct } from '../act.ts';
import { Refusal } from '../api/api.ts';
import { useRead } from '../api/reads.ts';
import { useDraft } from '../drafts.ts';
import { useGate } from '../gate.ts';
import type { StopKey } from '../links.ts';
import { links } from '../links.ts';
import type { ParkedRow } from '../model/parked-list.ts';
import { differencesOf, fieldsOf, plannedLine, refusedOf, repairOf, roomOf, skipOf } from '../model/parked-row.ts';
import type { StopView } from '../model/stop-ticks.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { FirstNote } from '../parts/first-note.tsx';
import { Page } from '../parts/page.tsx';
import { Refused } from '../parts/refused.tsx';
import { RepairFieldRow } from '../parts/repair-field.tsx';
import { RepairOutcome } from '../parts/repair-outcome.tsx';
import { NeedsRole } from '../parts/needs-role.tsx';
import { Table } from '../parts/table.tsx';
import { TablePanel } from '../parts/table-panel.tsx';
import { SkipParked } from '../parts/skip-parked.tsx';
import { may } from '../session.ts';
import { fieldLabel, subjectText } from '../words/parked-sentences.ts';
import { dayText } from '../words/times.ts';
import { t } from '../words/words.ts';

const crumbs = () => [{ href: links.parked, text: t('parked.title') }];

/** The repair of a refused row (B7): the value, what shall be there, the difference, and what became of it. */
export function RepairScreen({ id }: { readonly id: string }) {
  const { data: row, fault } = useRead('readParked', { params: { parked_id: id } });
  const isGone = fault instanceof Refusal && fault.status === 404;
  // The last answer stays: the outcome of a repair is shown after the host has taken the row.
  if (row) return <Repair row={row} isGone={isGone} />;
  return (
    <Page title={t('parked.title')} crumbs={crumbs()}>
      {isGone ? <Gone /> : <FaultNote fault={fault} />}
    </Page>
  );
}

function Gone() {
  return (
    <Banner icon="check" tone="go" role="status">
      <p>
        {t('repair.gone')} <a href={links.parked}>{t('repair.back')}</a>
      </p>
    </Banner>
  );
}

/** Whose stop it is, and who delivered it. */
function OfStop({ place, view: { customer, summary } }: { readonly place: StopKey; readonly view: StopView }) {
  const { status_by: by, status_by_name: name } = summary;
  return (
    <>
      {' '}
      <a href={links.stop(place)}>{customer.name || customer.id}</a>
      {by !== null && ` · ${t('stop.by', { name: name === '' ? by : `${name}, ${by}` })}`}
    </>
  );
}

function Repair({ row, isGone }: { readonly row: ParkedRow; readonly isGone: boolean }) {
  const { parked_id, stop_id: stop, version, reason, payload } = row;
  const params = { parked_id };
  const draft = useDraft(`repair/${parked_id}`);
  const [isWide, setWide] = useState(false);
  const [isSkipping, setSkipping] = useState(false);
  const [sentVersion, setSentVersion] = useState<number>();
  const note = useId();
  const gate = useGate(skipOf(row));
  const repair = useAct('repairParked', gate);
  const retry = useAct('retryParked', gate);
  /** The tries of the row when this page asked for one more. */
  const [triesBefore, setTriesBefore] = useState<number>();
  const tryAgain = async (): Promise<void> => {
    if (await retry.run({ params, body: { seen: gate.seen } })) setTriesBefore(row.attempts);
  };
  const fields = stop === null ? [] : fieldsOf(payload);
  const refused = refusedOf(fields, reason);
  const isTyped = (name: string): boolean => draft.fields[name] !== undefined;
  const others = fields.filter((field) => !refused.includes(field));
  const shown =
    refused.length === 0 || isWide ? [...refused, ...others] : [...refused, ...others.filter(({ id }) => isTyped(id))];
  const differences = differencesOf(fields, draft.fields);
  const isReady = differences.length > 0 && differences.every(({ field, after }) => roomOf(field.column, after).fits);
  const hasMoved = draft.fields['version'] !== undefined && draft.fields['version'] !== String(version);
  const change = (name: string, value: string): void => {
    if (!isTyped('version')) draft.change('version', String(version));
    draft.change(name, value);
  };
  const send = async (): Promise<void> => {
    if (stop === null || !isReady) return;
    const body = { stop: repairOf(stop, differences), expected_version: version, seen: gate.seen };
    const done = await repair.run({ params, body });
    if (!done) return;
    draft.clear();
    // A driver's change may have been refused since this page read the row: only a later version is the repair's.
    setSentVersion(done.parked.version);
  };
  const { facility, route_id: route, week_end: week } = row;
  const place =
    facility !== null && route !== null && week !== null && stop !== null
      ? { facility, route_id: route, week_end: week, stop_id: stop }
      : undefined;
  const { data: view } = useRead('readOpsStop', place && { params: place });
  const title = stop !== null && route !== null ? t('repair.stop', { n: stop, route }) : subjectText(row);
  return (
    <Page
      title={title}
      lead={
        facility !== null &&
        week !== null && (
          <>
            {t('repair.lead', { facility, week: dayText(week), version })}
            {place && view && <OfStop place={place} view={view} />}
          </>
        )
      }
      crumbs={crumbs()}
      acts={
        may('repair') &&
        !isGone && (
          <>
            <button className="btn" type="button" onClick={() => setSkipping(true)}>
              <Icon name="x" />
              {t('repair.skip')}
            </button>
            <button className="btn" type="button" aria-disabled={retry.isOff} onClick={() => void tryAgain()}>
              <Icon name="retry" />
              {t('repair.retry')}
            </button>
          </>
        )
      }
    >
      <div className="stack">
        {isGone && <Gone />}
        <FaultNote fault={retry.fault ?? repair.fault} />
        {!isGone && triesBefore === row.attempts && (
          <Banner icon="retry" role="status">
            <p>{t('repair.retried')}</p>
          </Banner>
        )}
        {!isGone && <FirstNote gate={gate} />}
        {hasMoved && (
          <Banner icon="warn" tone="warn" role="status">
            <p>{t('repair.moved')}</p>
          </Banner>
        )}
        {isSkipping && <SkipParked row={row} gate={gate} onClose={() => setSkipping(false)} />}
      </div>
      <div className="cols one-one mt4">
        <div>
          <Refused row={row} refused={refused} isGone={isGone} />
          {!isGone && (
            <div className="panel mt4">
              <div className="panel-head">
                <h2>{t('repair.form')}</h2>
              </div>
              <form
                id="repair"
                className="panel-body"
                noValidate
                onSubmit={(event) => {
                  event.preventDefault();
                  void send();
                }}
              >
                <NeedsRole role="repair" />
                {fields.length === 0 && <p>{t('repair.noFields')}</p>}
                {shown.map((field) => (
                  <RepairFieldRow
                    key={field.id}
                    field={field}
                    text={draft.fields[field.id] ?? field.value}
                    planned={view && plannedLine(view.lines, field)}
                    onType={(text) => change(field.id, text)}
                  />
                ))}
                {shown.length < fields.length && (
                  <button className="btn btn-link" type="button" onClick={() => setWide(true)}>
                    {t('repair.others', { n: fields.length - shown.length })}
                  </button>
                )}
              </form>
            </div>
          )}
        </div>
        <div>
          {differences.length > 0 && (
            <TablePanel
              title={t('repair.changes')}
              beside={<span className="small">{t('repair.count', { n: differences.length })}</span>}
            >
              <Table
                caption={t('repair.changes')}
                rows={differences}
                keyOf={({ field }) => field.id}
                columns={[
                  { head: t('repair.field'), cell: ({ field }) => fieldLabel(field) },
                  { head: t('repair.before'), cell: ({ field }) => <del>{field.value || t('repair.blank')}</del> },
                  { head: t('repair.after'), cell: ({ after }) => <strong>{after || t('repair.blank')}</strong> },
                ]}
              />
            </TablePanel>
          )}
          <div className="panel">
            <div className="panel-head">
              <h2>{t('repair.then')}</h2>
            </div>
            <div className="panel-body">
              <RepairOutcome row={row} isGone={isGone} sentVersion={sentVersion} />
            </div>
            {fields.length > 0 && may('repair') && !isGone && (
              <div className="foot">
                <p id={note} role="status">
                  {sentVersion !== undefined || isReady
                    ? ''
                    : t(differences.length === 0 ? 'repair.none' : 'repair.noRoom')}
                </p>
                <button
                  className="btn btn-go"
                  type="submit"
                  form="repair"
                  aria-disabled={!isReady || repair.isOff}
                  aria-describedby={note}
                >
                  <Icon name="check" />
                  {t(repair.isBusy ? 'repair.sending' : 'repair.act')}
                </button>
              </div>
            )}
          </div>
        </div>
      </div>
    </Page>
  );
}
