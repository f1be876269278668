import type { FormEvent } from 'react';
import { useAct } from '../act.ts';
import type { RowOf } from '../api/operations.ts';
import { useDraft } from '../drafts.ts';
import { links } from '../links.ts';
import { may } from '../session.ts';
import { atTime } from '../words/times.ts';
import { sizeText, t } from '../words/words.ts';
import { DraftField } from './draft-field.tsx';
import { FaultNote } from './fault-note.tsx';
import { Moment } from './moment.tsx';
import { NeedsRole } from './needs-role.tsx';
import { SendButton } from './send-button.tsx';

type Phone = RowOf<'listDevices'>;

/** The chosen phone: what is on it, and its end where it is lost. */
export function PhonePanel({ phone }: { readonly phone: Phone }) {
  const { employee, employee_name: name, pending, oldest_pending_at: oldest, app, sdk, created_at, last_seq } = phone;
  const { pending_files: files, pending_bytes: bytes } = phone;
  const holds = [
    ...(pending > 0 ? [t('phone.changes', { n: pending })] : []),
    ...(files !== null && files > 0 ? [t('phone.files', { n: files, size: sizeText(bytes ?? 0) })] : []),
  ];
  return (
    <div className="cols one-one mt4">
      <div className="panel">
        <div className="panel-head">
          <h2>{t('phone.title', { name: name || employee })}</h2>
        </div>
        <dl className="kv panel-body">
          <dt>{t('phone.holds')}</dt>
          <dd>
            {holds.length === 0 ? t('phone.nothing') : holds.join(', ')}
            {oldest !== null && (
              <>
                {', '}
                <Moment at={oldest} of={phone} />
              </>
            )}
          </dd>
          <dt>{t('phone.app')}</dt>
          <dd>
            {app} <span className="small">{sdk}</span>
          </dd>
          <dt>{t('phone.first')}</dt>
          <dd>
            <Moment at={created_at} of={phone} />
          </dd>
          <dt>{t('phone.seq')}</dt>
          <dd>{t('phone.number', { n: last_seq })}</dd>
        </dl>
        <p className="small panel-body">{t('phone.safe')}</p>
      </div>
      <End phone={phone} />
    </div>
  );
}

function End({ phone }: { readonly phone: Phone }) {
  const { client_id, revoked_at: at, revoked_by: by, revoke_reason: why } = phone;
  const revoke = useAct('revokeDevice');
  const draft = useDraft(`phone/${client_id}`);
  const reason = draft.fields['reason'] ?? '';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (reason.trim() === '') return;
    if (await revoke.run({ params: { client_id }, body: { reason: reason.trim() } })) draft.clear();
  };
  return (
    <div className="panel">
      <div className="panel-head">
        <h2>{t('phone.lost')}</h2>
      </div>
      <form className="panel-body" noValidate onSubmit={(event) => void submit(event)}>
        <FaultNote fault={revoke.fault} />
        {at !== null ? (
          <p>{t('phone.ended', { by: by ?? '', time: atTime(Date.parse(at), phone), why: why ?? '' })}</p>
        ) : (
          <>
            <p className="small">{t('phone.lostMore')}</p>
            <a className="btn btn-link" href={links.rescue}>
              {t('rescue.door')}
            </a>
            <NeedsRole role="admin" />
            {may('admin') && (
              <div className="form-row auto">
                <DraftField label={t('phone.reason')} draft={draft} name="reason" />
                <SendButton
                  tone="bad"
                  icon="x"
                  missing={reason.trim() === '' ? t('app.noReason') : ''}
                  isOff={revoke.isOff}
                >
                  {t('phone.end')}
                </SendButton>
              </div>
            )}
          </>
        )}
      </form>
    </div>
  );
}
