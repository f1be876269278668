import type { StopKey } from '../links.ts';
import { links } from '../links.ts';
import type { StopView } from '../model/stop-ticks.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { LegalHolds } from '../parts/legal-holds.tsx';
import { MakeEvidence } from '../parts/make-evidence.tsx';
import { Moment } from '../parts/moment.tsx';
import { Proofs } from '../parts/send-proof.tsx';
import { FileView } from '../parts/stop-file.tsx';
import { StopFrame, useStopView } from '../parts/stop-frame.tsx';
import { Overage, StopLines } from '../parts/stop-lines.tsx';
import { ToParked } from '../parts/to-parked.tsx';
import { t } from '../words/words.ts';

/** A stop (B4): plan against result, signature and photos, comments as the host reads them, mails, the host's confirmation. */
export function StopScreen({ stop }: { readonly stop: StopKey }) {
  const reading = useStopView(stop);
  const { data, fault } = reading;
  return (
    <StopFrame stop={stop} reading={reading} page="plan">
      <FaultNote fault={fault} />
      {!data && !fault && <p className="small">{t('app.loading')}</p>}
      {data && (
        <div className="cols two-one">
          <div>
            <StopLines view={data} />
            <Overage items={data.overage} />
            <Comments view={data} />
          </div>
          <div>
            <Files view={data} />
            <Proofs stop={stop} proofs={data.proofs} />
            <MakeEvidence stop={stop} />
            <LegalHolds place={stop} />
            <OnHost view={data} />
            <Times view={data} />
          </div>
        </div>
      )}
    </StopFrame>
  );
}

function Files({ view: { files, received_by: receiver, summary } }: { readonly view: StopView }) {
  const signatures = files.filter(({ use }) => use === 'signature');
  const photos = files.filter(({ use }) => use === 'photo');
  return (
    <>
      <div className="panel">
        <div className="panel-head">
          <h2>{t('stop.signature')}</h2>
        </div>
        <div className="panel-body signed">
          {signatures.map((file) => (
            <FileView key={file.asset_id} file={file} label={t('stop.signature')} of={summary} />
          ))}
          {signatures.length === 0 && <p className="small">{t('stop.noSignature')}</p>}
          {receiver.name !== '' && <p>{t('stop.signedBy', { name: receiver.name })}</p>}
        </div>
      </div>
      <div className="panel">
        <div className="panel-head">
          <h2>{t('stop.photos')}</h2>
          <span className="small">{photos.length}</span>
        </div>
        {photos.length === 0 ? (
          <p className="panel-body small">{t('stop.noPhotos')}</p>
        ) : (
          <div className="panel-body pics">
            {photos.map((file, place) => (
              <FileView
                key={file.asset_id}
                file={file}
                label={[t('stop.photo', { n: place + 1 }), file.line?.id].filter(Boolean).join(' · ')}
                of={summary}
              />
            ))}
          </div>
        )}
      </div>
    </>
  );
}

function Comments({ view }: { readonly view: StopView }) {
  const { comment, skip_reason: reason, skip_comment: skip, follow_up: follow, mails, mail_recipients: to } = view;
  return (
    <div className="panel">
      <div className="panel-head">
        <h2>{t('stop.comments')}</h2>
      </div>
      <dl className="kv panel-body">
        <dt>{t('stop.driver')}</dt>
        <dd>{comment ? t('stop.quoted', { text: comment.text }) : t('stop.noComment')}</dd>
        {comment && (
          <>
            <dt>{t('stop.screen')}</dt>
            <dd className="mono">{comment.on_screen}</dd>
          </>
        )}
        {reason && (
          <>
            <dt>{t('stop.skip')}</dt>
            <dd>
              {reason.code} {reason.meaning}{' '}
              {skip && <span className="sub">{t('stop.quoted', { text: skip.text })}</span>}
            </dd>
          </>
        )}
        {skip?.altered === true && (
          <>
            <dt>{t('stop.screen')}</dt>
            <dd className="mono">{skip.on_screen}</dd>
          </>
        )}
        {follow && (
          <>
            <dt>{t('stop.followUp')}</dt>
            <dd>
              {follow.code} {follow.meaning}
            </dd>
          </>
        )}
        <dt>{t('stop.mailed')}</dt>
        <dd>
          {mails.length === 0 && t('stop.noMail')}
          {mails.map(({ mutation_id, sent_at }) => (
            <span key={mutation_id} className="each">
              <Moment at={sent_at} of={view.summary} />
            </span>
          ))}
        </dd>
        <dt>{t('stop.recipients')}</dt>
        <dd>{to.length === 0 ? t('stop.noRecipients') : to.join(', ')}</dd>
      </dl>
    </div>
  );
}

function OnHost({ view: { host, summary } }: { readonly view: StopView }) {
  return (
    <div className="panel">
      <div className="panel-head">
        <h2>{t('stop.onHost')}</h2>
      </div>
      <dl className="kv panel-body">
        <dt>{t('stop.trace')}</dt>
        <dd className="mono">{host.trace === '' ? '–' : <a href={links.search(host.trace)}>{host.trace}</a>}</dd>
        <dt>{t('stop.confirmed')}</dt>
        <dd>
          {host.confirmed_at === null ? t('stop.notYet') : <Moment at={host.confirmed_at} of={summary} form="exact" />}
        </dd>
        <dt>{t('stop.sequence')}</dt>
        <dd className="mono">{host.sequence ?? '–'}</dd>
        {host.parked_since !== null && (
          <>
            <dt>{t('stop.refused')}</dt>
            <dd>
              <Moment at={host.parked_since} of={summary} form="exact" /> {host.parked_reason}{' '}
              {host.skipped_by !== null && t('stop.skippedBy', { by: host.skipped_by, why: host.skip_reason ?? '' })}
              {host.parked_id !== null && <ToParked id={host.parked_id} />}
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

function Times({ view: { times, summary } }: { readonly view: StopView }) {
  const rows = [
    ['stop.planned', times.planned],
    ['stop.started', times.started],
    ['stop.ended', times.ended],
    ['stop.skippedAt', times.skipped],
  ] as const;
  const known = rows.filter(([, at]) => at !== null);
  if (known.length === 0) return null;
  return (
    <div className="panel">
      <div className="panel-head">
        <h2>{t('stop.times')}</h2>
      </div>
      <dl className="kv panel-body">
        {known.map(([word, at]) => (
          <div key={word} className="kv-row">
            <dt>{t(word)}</dt>
            <dd>{at && <Moment at={at.utc} of={summary} form="exact" />}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
