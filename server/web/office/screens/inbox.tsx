import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { useAct } from '../act.ts';
import type { Cause } from '../attention.ts';
import { useAttention } from '../attention.ts';
import type { Finished } from '../parts/cause-entries.tsx';
import { CauseRow } from '../parts/cause.tsx';
import { ExportRows } from '../parts/exports.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { Page } from '../parts/page.tsx';
import { causeReason, causeTitle } from '../words/cause-sentences.ts';
import { t } from '../words/words.ts';

/** The front page: what needs a person, grouped by cause, the oldest first (B6, B8). */
export function InboxScreen() {
  const { data, fault } = useAttention();
  // Here, since the cause goes with its hold, and the note of another operator stays.
  const end = useAct('endHold');
  const [finished, setFinished] = useState<readonly Finished[]>([]);
  const causes = data?.causes ?? [];
  // A row can be taken, refused for another cause, or skipped by another operator: only its absence here is known.
  const over = data ? finished.filter(({ cause }) => !causes.some((each) => each.cause === cause)) : [];
  return (
    <Page
      title={t('nav.inbox')}
      lead={data && causes.length > 0 && t('inbox.lead', { n: causes.length, total: data.counts.total })}
      acts={<ExportRows file="needs-a-person" pages={() => [causes]} columns={exported()} />}
    >
      <FaultNote fault={fault} />
      <FaultNote fault={end.fault} />
      <div role="status">
        {over.map(({ cause, act, count }) => (
          <Banner key={`${cause} ${act}`} icon="check" tone="go">
            <p>{act === 'retry' ? t('bulk.retried') : t('bulk.skipped', { n: count })}</p>
          </Banner>
        ))}
      </div>
      {!data && !fault && <p className="small">{t('app.loading')}</p>}
      {data && causes.length === 0 && (
        <div className="panel empty">
          <Icon name="check" />
          <p>{t('inbox.empty')}</p>
        </div>
      )}
      {causes.length > 0 && (
        <div className="panel">
          <div className="cause head" aria-hidden="true">
            <span />
            <span>{t('inbox.what')}</span>
            <span>{t('inbox.oldest')}</span>
            <span>{t('inbox.otherwise')}</span>
            <span>{t('inbox.suggested')}</span>
          </div>
          {causes.map((cause) => (
            <CauseRow
              key={cause.cause}
              cause={cause}
              isEnding={end.isOff}
              onEndHold={(hold_id) => void end.run({ params: { hold_id }, body: {} })}
              onFinished={(next) =>
                setFinished((before) => [...before.filter((each) => each.cause !== next.cause), next])
              }
            />
          ))}
        </div>
      )}
    </Page>
  );
}

const exported = () => [
  { head: t('inbox.kind'), text: ({ kind }: Cause) => kind },
  { head: t('inbox.what'), text: causeTitle },
  { head: t('parked.why'), text: causeReason },
  { head: t('inbox.count'), text: ({ count }: Cause) => count },
  { head: t('inbox.oldest'), text: ({ oldest_at }: Cause) => oldest_at },
  { head: t('inbox.otherwise'), text: ({ otherwise, count }: Cause) => t(`else.${otherwise}`, { n: count }) },
];
