import type { FormEvent } from 'react';
import { useId, useState } from 'react';
import { Banner, Chip } from '../../ui/parts/chip.tsx';
import { useAct } from '../act.ts';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import { useDraft } from '../drafts.ts';
import type { Gate } from '../gate.ts';
import { useGate } from '../gate.ts';
import type { StopKey } from '../links.ts';
import { newId } from '../model/new-id.ts';
import { may } from '../session.ts';
import { t } from '../words/words.ts';
import { FaultNote } from './fault-note.tsx';
import { FirstNote } from './first-note.tsx';
import { Moment } from './moment.tsx';
import { NeedsRole } from './needs-role.tsx';
import { OpenPanel } from './open-panel.tsx';
import { SendButton } from './send-button.tsx';

type Preview = DataOf<'previewProof'>;
type Proof = Preview['proofs'][number];

interface ProofsProps {
  readonly stop: StopKey;
  /** Those of the stop, newest first. */
  readonly proofs: readonly Proof[];
}

/** Delivery summaries that the office has sent, and the form for one more: two clicks with the known address. */
export function Proofs({ stop, proofs }: ProofsProps) {
  const [latest] = proofs;
  const gate = useGate(latest && { by: latest.by, at: latest.asked_at, act: 'sendProof' });
  const [isOpen, setOpen] = useState(false);
  const [sentTo, setSentTo] = useState<string>();
  const close = (to: string): void => {
    setSentTo(to);
    setOpen(false);
  };
  return (
    <OpenPanel title={t('proof.title')} icon="mail" act={t('proof.open')} isOpen={isOpen} onToggle={setOpen}>
      {sentTo !== undefined && (
        <Banner icon="check" tone="go" role="status">
          <p>{t('proof.done', { to: sentTo })}</p>
        </Banner>
      )}
      {isOpen && <SendProof stop={stop} proofs={proofs} gate={gate} onSent={close} />}
      <ul className="panel-body">
        {proofs.length === 0 && <li className="small">{t('proof.none')}</li>}
        {proofs.map((proof) => (
          <li key={proof.mail_id}>
            <Moment at={proof.asked_at} of={stop} form="exact" /> {proof.to} <State state={proof.state} />
            <span className="sub">{t('proof.by', { by: proof.by })}</span>
          </li>
        ))}
      </ul>
    </OpenPanel>
  );
}

function State({ state }: Pick<Proof, 'state'>) {
  const looks = { queued: ['clock', 'plain'], sent: ['check', 'go'], given_up: ['warn', 'bad'] } as const;
  const [icon, tone] = looks[state];
  return (
    <Chip icon={icon} tone={tone}>
      {t(`proof.state.${state}`)}
    </Chip>
  );
}

interface SendProofProps extends ProofsProps {
  readonly gate: Gate;
  readonly onSent: (to: string) => void;
}

function SendProof({ stop, proofs, gate, onSent }: SendProofProps) {
  const { facility, route_id, week_end, stop_id } = stop;
  const params = { facility, route_id, week_end, stop_id };
  const { data, fault } = useRead('previewProof', { params });
  const send = useAct('sendProof', gate);
  const draft = useDraft(`proof/${facility}/${route_id}/${week_end}/${stop_id}`);
  const known = useId();
  const to = draft.fields['to'] ?? data?.addresses[0] ?? '';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (to.trim() === '') return;
    // A second try after a lost answer is the same mail; another address is another mail.
    const { mail_id: kept, mail_to } = draft.fields;
    const mail_id = kept !== undefined && mail_to === to ? kept : newId();
    draft.change('mail_id', mail_id);
    draft.change('mail_to', to);
    const last_seen = proofs[0]?.mail_id ?? null;
    const sent = await send.run({ params, body: { mail_id, to: to.trim(), last_seen } });
    if (!sent) return;
    draft.clear();
    onSent(sent.to);
  };
  return (
    <form className="panel-body" noValidate onSubmit={(event) => void submit(event)}>
      <FaultNote fault={send.fault ?? fault} />
      <FirstNote gate={gate} />
      {data && <Lacking preview={data} />}
      <NeedsRole role="repair" />
      {data?.can_send === true && may('repair') && (
        <>
          <label className="field">
            <span className="lab">{t('proof.to')}</span>
            <input
              className="input"
              inputMode="email"
              autoComplete="off"
              maxLength={254}
              list={known}
              value={to}
              onInput={(event) => draft.change('to', event.currentTarget.value)}
            />
            <datalist id={known}>
              {data.addresses.map((address) => (
                <option key={address} value={address} />
              ))}
            </datalist>
          </label>
          <SendButton tone="go" missing={to.trim() === '' ? t('proof.noAddress') : ''} isOff={send.isOff}>
            {t(send.isBusy ? 'proof.sending' : 'proof.act')}
          </SendButton>
        </>
      )}
      {data?.can_send === true && (
        <section aria-label={t('proof.preview')}>
          <h3>{t('proof.preview')}</h3>
          <p>
            <strong>{data.subject}</strong> <span className="small">{t('proof.pictures', { n: data.pictures })}</span>
          </p>
          <pre className="bytes" tabIndex={0}>
            {data.text}
          </pre>
        </section>
      )}
    </form>
  );
}

/** Why there is no proof, or the parts that the proof lacks. */
function Lacking({ preview: { lacks, can_send } }: { readonly preview: Preview }) {
  if (lacks.length === 0) return null;
  return (
    <Banner icon="warn" tone={can_send ? 'plain' : 'warn'}>
      {!can_send && <p>{t('proof.no')}</p>}
      <ul>
        {lacks.map((part) => (
          <li key={part}>{t(`proof.lacks.${part}`)}</li>
        ))}
      </ul>
    </Banner>
  );
}
