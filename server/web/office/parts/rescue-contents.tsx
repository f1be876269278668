import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { useList } from '../api/reads.ts';
import { links } from '../links.ts';
import type { Queue } from '../model/rescue.ts';
import { contentsOf } from '../model/rescue.ts';
import type { Rescue } from '../rescue.ts';
import { sendRescue, tryNow } from '../rescue.ts';
import { useServices } from '../services.ts';
import { may } from '../session.ts';
import { t } from '../words/words.ts';
import { Moment } from './moment.tsx';

/** The contents of a file before it is sent, and the way to send it. */
export function RescueContents({ rescue }: { readonly rescue: Rescue }) {
  const { name, queues } = rescue;
  return (
    <section className="panel" aria-labelledby="rescue-contents">
      <div className="panel-head">
        <h2 id="rescue-contents" className="breaks">
          {t('rescue.contents', { name })}
        </h2>
      </div>
      {queues.map((queue) => (
        <Of key={queue.client_id} queue={queue} />
      ))}
      <div className="panel-body">
        <Send rescue={rescue} />
      </div>
    </section>
  );
}

/** The queue of a driver. */
function Of({ queue }: { readonly queue: Queue }) {
  const { employee_id: employee, client_id } = queue;
  const { changes, since, until, exportedAt, routes, files } = contentsOf(queue);
  const { rows } = useList('listDevices', { employee });
  const phone = rows?.find((row) => row.client_id === client_id.toLowerCase());
  const person = rows?.find(({ employee_name }) => employee_name !== '')?.employee_name;
  return (
    <dl className="kv panel-body">
      <dt>{t('rescue.driver')}</dt>
      <dd>{person === undefined ? employee : `${person} · ${employee}`}</dd>
      <dt>{t('rescue.phone')}</dt>
      <dd>
        {phone ? (
          <>
            <a href={links.phone(phone.client_id)}>{phone.device || phone.app || phone.client_id}</a>
            {phone.revoked_by !== null && ` · ${t('rescue.phoneEnded', { by: phone.revoked_by })}`}
          </>
        ) : (
          t(rows ? 'rescue.unknownPhone' : 'app.loading')
        )}
      </dd>
      <dt>{t('rescue.holds')}</dt>
      <dd>
        <strong>{t('rescue.changes', { n: changes })}</strong>
      </dd>
      {since !== undefined && until !== undefined && (
        <>
          <dt>{t('rescue.recorded')}</dt>
          <dd>
            <Moment at={since} />{' '}
            {until !== since && (
              <>
                {t('rescue.span')} <Moment at={until} />
              </>
            )}
          </dd>
        </>
      )}
      {exportedAt !== undefined && (
        <>
          <dt>{t('rescue.exported')}</dt>
          <dd>
            <Moment at={exportedAt} />
          </dd>
        </>
      )}
      <dt>{t('rescue.routes')}</dt>
      <dd>{routes.join(', ') || t('rescue.noRoute')}</dd>
      <dt>{t('rescue.files')}</dt>
      <dd>{files.length === 0 ? t('rescue.noFiles') : t('rescue.fileCount', { n: files.length })}</dd>
    </dl>
  );
}

function Send({ rescue: { queues, stage, outcomes } }: { readonly rescue: Rescue }) {
  const { api, live } = useServices();
  const total = queues.reduce((sum, { mutations }) => sum + mutations.length, 0);
  const n = outcomes.size;
  const isNothingNew = [...outcomes.values()].every(({ result }) => result === 'duplicate');
  const send = async (): Promise<void> => {
    await sendRescue(api);
    live.changed();
  };
  return (
    <div className="stack" role="status">
      {stage === 'sending' && <p>{t('rescue.sending', { n, total })}</p>}
      {stage === 'waiting' && (
        <Banner icon="off" tone="warn">
          <p>{t('rescue.waiting', { n, total })}</p>
          <button className="btn mt" type="button" onClick={tryNow}>
            <Icon name="retry" />
            {t('rescue.now')}
          </button>
        </Banner>
      )}
      {stage === 'done' && (
        <Banner icon="check" tone="go">
          <p>
            {t('rescue.done', { total })} {isNothingNew && t('rescue.twice')}
          </p>
        </Banner>
      )}
      {may('repair') && (stage === 'ready' || stage === 'done') && (
        <button className={stage === 'ready' ? 'btn btn-go' : 'btn'} type="button" onClick={() => void send()}>
          <Icon name={stage === 'ready' ? 'share' : 'retry'} />
          {stage === 'ready' ? t('rescue.send', { n: total }) : t('rescue.again')}
        </button>
      )}
    </div>
  );
}
