import type { FormEvent } from 'react';
import { useAct } from '../act.ts';
import { useRead } from '../api/reads.ts';
import { useDraft } from '../drafts.ts';
import { useGate } from '../gate.ts';
import { instantOf } from '../model/local-time.ts';
import { may } from '../session.ts';
import { t } from '../words/words.ts';
import { DraftField } from './draft-field.tsx';
import { FaultNote } from './fault-note.tsx';
import { FirstNote } from './first-note.tsx';
import { Moment } from './moment.tsx';
import { SendButton } from './send-button.tsx';
import { Table } from './table.tsx';
import { TablePanel } from './table-panel.tsx';

interface HoldFormProps {
  readonly isPlanned: boolean;
  readonly onClose: () => void;
}

/** A hold of the replication, from now on or in a maintenance window. */
export function HoldForm({ isPlanned, onClose }: HoldFormProps) {
  const gate = useGate();
  const begin = useAct('beginHold', gate);
  const draft = useDraft(isPlanned ? 'hold/planned' : 'hold/now');
  const { reason = '', from = '', until = '' } = draft.fields;
  const missing = reason.trim() === '' ? t('app.noReason') : isPlanned && from === '' ? t('host.noFrom') : '';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (missing !== '') return;
    const times = { ...(isPlanned && { from: instantOf(from) }), ...(until !== '' && { until: instantOf(until) }) };
    if (!(await begin.run({ body: { reason: reason.trim(), ...times, seen: gate.seen } }))) return;
    draft.clear();
    onClose();
  };
  return (
    <form className="panel panel-body" noValidate onSubmit={(event) => void submit(event)}>
      <div className="panel-head">
        <h2>{t(isPlanned ? 'host.planHold' : 'host.holdNow')}</h2>
        <button className="btn btn-quiet" type="button" onClick={onClose}>
          {t('app.close')}
        </button>
      </div>
      <p className="small">{t('host.holdMore')}</p>
      <FaultNote fault={begin.fault} />
      <FirstNote gate={gate} />
      <DraftField label={t('host.holdReason')} draft={draft} name="reason" />
      {isPlanned && <DraftField label={t('host.holdFrom')} draft={draft} name="from" type="datetime-local" />}
      <DraftField label={t('host.holdUntil')} draft={draft} name="until" type="datetime-local" />
      <SendButton tone="go" icon="pause" missing={missing} isOff={begin.isOff}>
        {t(isPlanned ? 'host.plan' : 'host.begin')}
      </SendButton>
    </form>
  );
}

/** Holds in force and to come. */
export function HoldList() {
  const { data, fault } = useRead('listHolds', {});
  const end = useAct('endHold');
  return (
    <TablePanel title={t('host.holds')}>
      <FaultNote fault={end.fault ?? fault} />
      {data?.length === 0 && <p className="panel-body small">{t('host.noHolds')}</p>}
      {data && data.length > 0 && (
        <Table
          caption={t('host.holds')}
          rows={data}
          keyOf={({ hold_id }) => hold_id}
          columns={[
            {
              head: t('host.why'),
              cell: ({ reason, in_force }) => (
                <>
                  {reason}
                  <span className="sub">{t(in_force ? 'host.inForce' : 'host.toCome')}</span>
                </>
              ),
            },
            { head: t('host.by'), cell: ({ by }) => by },
            { head: t('host.from'), cell: ({ from }) => <Moment at={from} /> },
            { head: t('host.to'), cell: ({ until }) => (until === null ? t('host.noEnd') : <Moment at={until} />) },
            {
              head: t('host.state'),
              cell: ({ hold_id, source }) => {
                if (source === 'host') return <span className="small">{t('host.ofHost')}</span>;
                return (
                  may('admin') && (
                    <button
                      className="btn"
                      type="button"
                      aria-disabled={end.isBusy}
                      onClick={() => void end.run({ params: { hold_id }, body: {} })}
                    >
                      {t('host.endHold')}
                    </button>
                  )
                );
              },
            },
          ]}
        />
      )}
    </TablePanel>
  );
}
