import { useState } from 'react';
import type { IconName } from '../../ui/icons.tsx';
import type { Tone } from '../../ui/parts/chip.tsx';
import { Banner, Chip } from '../../ui/parts/chip.tsx';
import { links } from '../links.ts';
import type { Change } from '../model/rescue.ts';
import { instantOf, subjectOf } from '../model/rescue.ts';
import type { Outcome, Rescue } from '../rescue.ts';
import { sentenceOf } from '../words/faults.ts';
import { t } from '../words/words.ts';
import { Moment } from './moment.tsx';
import { Table } from './table.tsx';
import { TablePanel } from './table-panel.tsx';

interface Row {
  readonly change: Change;
  readonly outcome: Outcome | undefined;
}

type Shown = 'applied' | 'duplicate' | 'quarantined' | 'refused' | 'unsent';
const looks: Readonly<Record<Shown, { readonly icon: IconName; readonly tone: Tone }>> = {
  applied: { icon: 'check', tone: 'go' },
  duplicate: { icon: 'check', tone: 'plain' },
  quarantined: { icon: 'file', tone: 'warn' },
  refused: { icon: 'x', tone: 'bad' },
  unsent: { icon: 'clock', tone: 'plain' },
};
/** Those that need a person are first. */
const order: readonly Shown[] = ['refused', 'quarantined', 'unsent', 'applied', 'duplicate'];
/** Rows at first: a button shows the others. */
const firstRows = 200;

const shownOf = ({ outcome }: Row): Shown =>
  outcome === undefined ? 'unsent' : outcome.result === 'behind' ? 'refused' : outcome.result;

/** The result of each change, those that need a person first. */
export function RescueResults({ rescue: { queues, outcomes, awaited } }: { readonly rescue: Rescue }) {
  const [isWhole, setWhole] = useState(false);
  const changes = queues.flatMap(({ mutations }) => mutations);
  const rows = changes
    .map((change): Row => ({ change, outcome: outcomes.get(change.id) }))
    .toSorted((a, b) => order.indexOf(shownOf(a)) - order.indexOf(shownOf(b)));
  const count = (wanted: Shown): number => rows.filter((row) => shownOf(row) === wanted).length;
  const kept = count('quarantined');
  return (
    <>
      {awaited && awaited.length > 0 && (
        <div className="mt4">
          <Banner icon="cam" tone="warn">
            <p>{t('rescue.awaited', { n: awaited.length, list: awaited.join(', ') })}</p>
            <p className="small">{t('rescue.awaitedMore')}</p>
          </Banner>
        </div>
      )}
      <div className="mt4">
        <TablePanel
          title={t('rescue.results')}
          beside={
            outcomes.size > 0 && (
              <span role="status">
                {t('rescue.counts', {
                  applied: count('applied'),
                  here: count('duplicate'),
                  kept,
                  refused: count('refused'),
                })}
              </span>
            )
          }
        >
          {kept > 0 && (
            <p className="panel-body">
              <a className="btn" href={links.quarantine}>
                {t('rescue.decide')}
              </a>
            </p>
          )}
          <Table
            caption={t('rescue.results')}
            rows={isWhole ? rows : rows.slice(0, firstRows)}
            keyOf={({ change }) => change.id}
            columns={[
              { head: t('rescue.change'), cell: ({ change }) => <Subject change={change} /> },
              {
                head: t('rescue.at'),
                cell: ({ change }) => {
                  const at = instantOf(change.captured_at);
                  return at === undefined ? '–' : <Moment at={at} />;
                },
              },
              {
                head: t('rescue.result'),
                cell: (row) => <Chip {...looks[shownOf(row)]}>{t(`rescue.${shownOf(row)}`)}</Chip>,
              },
              { head: t('rescue.why'), cell: ({ outcome }) => whyOf(outcome) },
            ]}
          />
          {!isWhole && rows.length > firstRows && (
            <p className="panel-body">
              <button className="btn btn-link" type="button" onClick={() => setWhole(true)}>
                {t('rescue.more', { n: rows.length })}
              </button>
            </p>
          )}
        </TablePanel>
      </div>
    </>
  );
}

/** The stop of a change, and its page. */
function Subject({ change }: { readonly change: Change }) {
  const { route, facility, weekEnd, stop } = subjectOf(change);
  if (route === undefined) return t('rescue.noSubject');
  const words = stop === undefined ? t('rescue.ofRoute', { route }) : t('rescue.of', { route, n: stop });
  if (stop === undefined || facility === undefined || weekEnd === undefined) return words;
  return (
    <a className="cell" data-row="" href={links.stop({ facility, route_id: route, week_end: weekEnd, stop_id: stop })}>
      <strong>{words}</strong>
    </a>
  );
}

function whyOf(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '';
  if (outcome.result === 'refused') return sentenceOf(outcome.fault);
  if (outcome.result === 'behind')
    return outcome.wants === null
      ? t('rescue.fork', { n: outcome.fork ?? 0 })
      : t('rescue.wants', { n: outcome.wants });
  const remarks = [...outcome.details, ...outcome.warnings].map(({ path, message }) => `${path} ${message}`.trim());
  return [outcome.reason ?? '', ...remarks].filter(Boolean).join('. ');
}
