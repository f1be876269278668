import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { useAct } from '../act.ts';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import { useDraft } from '../drafts.ts';
import type { First } from '../gate.ts';
import { useGate } from '../gate.ts';
import { links } from '../links.ts';
import { inLines } from '../model/kept-bytes.ts';
import { DraftField } from '../parts/draft-field.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { FirstNote } from '../parts/first-note.tsx';
import { Moment } from '../parts/moment.tsx';
import { NeedsRole } from '../parts/needs-role.tsx';
import { Page } from '../parts/page.tsx';
import { may } from '../session.ts';
import { flagName } from '../words/cause-sentences.ts';
import { keptSubject } from '../words/kept-sentences.ts';
import { t } from '../words/words.ts';

type Entry = DataOf<'readQuarantined'>;

const crumbs = () => [{ href: links.quarantine, text: t('quarantine.title') }];

/** A change that could not be applied (B9): the bytes beside what the rules say, and the decision. */
export function KeptScreen({ id }: { readonly id: string }) {
  const { data, fault } = useRead('readQuarantined', { params: { quarantine_id: id } });
  if (data) return <Kept entry={data} />;
  return (
    <Page title={t('quarantine.title')} crumbs={crumbs()}>
      <FaultNote fault={fault} />
    </Page>
  );
}

function Kept({ entry }: { readonly entry: Entry }) {
  const { name, employee_name: person, employee, device, code, reason, details } = entry;
  const driver = person === '' ? employee : person;
  return (
    <Page
      title={t('kept.title', { name, subject: keptSubject(entry) })}
      lead={t('kept.lead', { name: driver, device: device === '' ? t('kept.noDevice') : device })}
      crumbs={crumbs()}
    >
      <div className="cols one-one">
        <div>
          <section className="refused">
            <h2>{t('kept.rules')}</h2>
            <p className="mt">{reason}</p>
            {details.length > 0 && (
              <ul className="mt">
                {details.map(({ path, message }) => (
                  <li key={`${path} ${message}`}>
                    <span className="mono">{path}</span> {message}
                  </li>
                ))}
              </ul>
            )}
            <p className="small mt">{t('kept.code', { code })}</p>
          </section>
          <Decision key={entry.quarantine_id} entry={entry} />
          <Times entry={entry} />
        </div>
        <Bytes entry={entry} />
      </div>
    </Page>
  );
}

function Decision({ entry }: { readonly entry: Entry }) {
  const { quarantine_id, state, resolved_by: by, note } = entry;
  const params = { quarantine_id };
  const draft = useDraft(`kept/${quarantine_id}`);
  const [isMissing, setMissing] = useState(false);
  const gate = useGate(decisionOf(entry));
  const release = useAct('releaseQuarantined', gate);
  const dismiss = useAct('dismissQuarantined', gate);
  const [released, setReleased] = useState<DataOf<'releaseQuarantined'>>();
  const sentence = draft.fields['sentence']?.trim() ?? '';
  const apply = async (): Promise<void> => {
    const done = await release.run({ params, body: { note: sentence, seen: gate.seen } });
    if (!done) return;
    draft.clear();
    setReleased(done);
  };
  const leave = async (): Promise<void> => {
    setMissing(sentence === '');
    if (sentence === '') return;
    const body = { reason: sentence, seen: gate.seen };
    if (await dismiss.run({ params, body })) draft.clear();
  };
  return (
    <div className="panel mt4">
      <div className="panel-head">
        <h2>{t('kept.decide')}</h2>
      </div>
      <div className="panel-body">
        <NeedsRole role="repair" />
        <FaultNote fault={release.fault ?? dismiss.fault} />
        {state !== 'open' && (
          <Banner icon="check" tone={state === 'released' ? 'go' : 'plain'} role="status">
            <p>
              {state === 'released' && (note === null || note === '')
                ? t('kept.releasedBy', { by: by ?? '' })
                : t(`kept.${state}`, { by: by ?? '', note: note ?? '' })}{' '}
              {released && t(released.changed ? 'kept.changed' : 'kept.unchanged')}
            </p>
            {released?.warnings.map(({ code, path, message }) => (
              <p key={`${code} ${path}`}>
                <strong>{flagName(code)}</strong> {message}
              </p>
            ))}
          </Banner>
        )}
        {state !== 'released' && <FirstNote gate={gate} />}
        {state !== 'released' && may('repair') && (
          <>
            <DraftField label={t('kept.note')} draft={draft} name="sentence" isWrong={isMissing && sentence === ''} />
            {isMissing && sentence === '' && (
              <p className="hint badword" role="alert">
                {t('kept.noSentence')}
              </p>
            )}
            <button className="btn btn-go" type="button" aria-disabled={release.isOff} onClick={() => void apply()}>
              <Icon name="check" />
              {t('kept.release')}
            </button>
            <p className="small">{t('kept.releaseMore')}</p>
            {state === 'open' && (
              <>
                <button
                  className="btn btn-bad"
                  type="button"
                  aria-disabled={dismiss.isOff}
                  onClick={() => void leave()}
                >
                  <Icon name="x" />
                  {t('kept.dismiss')}
                </button>
                <p className="small">{t('kept.dismissMore')}</p>
              </>
            )}
          </>
        )}
      </div>
    </div>
  );
}

const decisionOf = ({ state, resolved_by: by, resolved_at: at }: Entry): First | undefined =>
  by === null || at === null
    ? undefined
    : { by, at, act: state === 'released' ? 'releaseQuarantined' : 'dismissQuarantined' };

function Times({ entry }: { readonly entry: Entry }) {
  const { captured_at: captured, edit_time: edited, received_at: received, last_received_at: last } = entry;
  const rows = [
    { head: t('kept.recorded'), at: captured, more: t('kept.phone') },
    { head: t('kept.recorded'), at: edited, more: t('kept.ours') },
    { head: t('kept.received'), at: received, more: t('kept.ours') },
    ...(last === received ? [] : [{ head: t('kept.again'), at: last, more: t('kept.ours') }]),
  ];
  return (
    <div className="panel mt4">
      <div className="panel-head">
        <h2>{t('kept.times')}</h2>
      </div>
      <dl className="kv panel-body">
        {rows.map(({ head, at, more }) => (
          <div key={`${head} ${more}`} className="kv-row">
            <dt>{head}</dt>
            <dd>
              {at === null ? t('kept.unknown') : <Moment at={at} form="exact" of={entry} />}{' '}
              <span className="small">{more}</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Bytes({ entry }: { readonly entry: Entry }) {
  const { body, body_encoding: encoding } = entry;
  const lines = encoding === 'utf-8' ? inLines(body) : undefined;
  const [isPretty, setPretty] = useState(true);
  return (
    <div className="panel">
      <div className="panel-head">
        <h2>{t('kept.bytes')}</h2>
        {lines !== undefined && (
          <button className="btn" type="button" aria-pressed={isPretty} onClick={() => setPretty(!isPretty)}>
            {t(isPretty ? 'kept.plain' : 'kept.pretty')}
          </button>
        )}
      </div>
      <div className="panel-body">
        {encoding === 'base64' && <p>{t('kept.base64')}</p>}
        <pre className="bytes" tabIndex={0} aria-label={t('kept.bytes')}>
          {lines !== undefined && isPretty ? lines : body}
        </pre>
      </div>
    </div>
  );
}
