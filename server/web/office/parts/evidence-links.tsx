import type { FormEvent } from 'react';
import { useState } from 'react';
import { copyText } from '../../ui/copy-text.ts';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { useAct } from '../act.ts';
import type { DataOf, QueryOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import { useDraft } from '../drafts.ts';
import { useGate } from '../gate.ts';
import type { StopKey } from '../links.ts';
import { t } from '../words/words.ts';
import { DraftField } from './draft-field.tsx';
import { FaultNote } from './fault-note.tsx';
import { FirstNote } from './first-note.tsx';
import { Moment } from './moment.tsx';
import { SendButton } from './send-button.tsx';

type Link = DataOf<'listEvidenceLinks'>[number];

interface EvidenceLinksProps {
  readonly stop: StopKey;
  /** The scope of the pack, and what it leaves out. */
  readonly query: QueryOf<'makeEvidenceLink'>;
}

/** The page of a link: beside the console, below the same server. Its secret is behind `#`, which no browser sends. */
const addressOf = (secret: string): string => new URL(`../evidence/#${secret}`, location.href).href;

/** A link by which somebody outside takes the pack once, and the links that the stop has. */
export function EvidenceLinks({ stop, query }: EvidenceLinksProps) {
  const make = useAct('makeEvidenceLink');
  const { data: links } = useRead('listEvidenceLinks', { query: stop });
  const { facility, route_id, week_end, stop_id } = stop;
  const draft = useDraft(`evidence-link/${facility}/${route_id}/${week_end}/${stop_id}`);
  const note = draft.fields['note'] ?? '';
  const [secret, setSecret] = useState<string>();
  const [isCopied, setCopied] = useState<boolean>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (note.trim() === '') return;
    const made = await make.run({ query, body: { note: note.trim(), days: 7 } });
    if (!made) return;
    draft.clear();
    setSecret(made.secret);
    setCopied(undefined);
  };
  const copy = async (address: string): Promise<void> => setCopied(await copyText(address));
  return (
    <form className="stack" noValidate onSubmit={(event) => void submit(event)}>
      <h3>{t('evidence.link')}</h3>
      <p className="small">{t('evidence.link.about')}</p>
      <FaultNote fault={make.fault} />
      <>
        <DraftField label={t('evidence.link.note')} draft={draft} name="note" maxLength={200} />
        <SendButton tone="go" missing={note.trim() === '' ? t('evidence.link.noNote') : ''} isOff={make.isOff}>
          {t('evidence.link.act')}
        </SendButton>
      </>
      {secret !== undefined && (
        <Banner icon="check" tone="go" role="status">
          <p>{t('evidence.link.done')}</p>
          <p>
            <code className="breaks">{addressOf(secret)}</code>
          </p>
          <button className="btn" type="button" onClick={() => void copy(addressOf(secret))}>
            <Icon name="file" />
            {t('evidence.link.copy')}
          </button>
          {isCopied !== undefined && (
            <p className="small">{t(isCopied ? 'evidence.link.copied' : 'evidence.link.notCopied')}</p>
          )}
        </Banner>
      )}
      <ul>
        {links?.map((link) => (
          <li key={link.link_id}>
            <Made link={link} stop={stop} />
          </li>
        ))}
      </ul>
    </form>
  );
}

function Made({ link, stop }: { readonly link: Link; readonly stop: StopKey }) {
  const { link_id, note, created_by: by, created_at, expires_at, taken_at, revoked_at, revoked_by } = link;
  const gate = useGate(revoked_at !== null && revoked_by !== null ? { by: revoked_by, at: revoked_at } : undefined);
  const revoke = useAct('revokeEvidenceLink', gate);
  const end = taken_at ?? revoked_at;
  return (
    <>
      {note} <span className="sub">{t('evidence.link.by', { by })}</span>{' '}
      <Moment at={created_at} of={stop} form="exact" />{' '}
      <span className="small">
        {t(
          taken_at !== null
            ? 'evidence.link.taken'
            : revoked_at !== null
              ? 'evidence.link.revoked'
              : 'evidence.link.until',
        )}{' '}
        <Moment at={end ?? expires_at} of={stop} form="exact" />
      </span>
      <FaultNote fault={revoke.fault} />
      <FirstNote gate={gate} />
      {end === null && (
        <button
          className="btn btn-quiet"
          type="button"
          aria-disabled={revoke.isOff}
          onClick={() => void revoke.run({ params: { link_id }, body: {} })}
        >
          {t('evidence.link.revoke')}
        </button>
      )}
    </>
  );
}
