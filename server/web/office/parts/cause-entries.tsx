import type { FormEvent } from 'react';
import { useState } from 'react';
import { Banner } from '../../ui/parts/chip.tsx';
import { useAct } from '../act.ts';
import { withFilters } from '../address.ts';
import type { DataOf } from '../api/operations.ts';
import type { Cause, CauseItem } from '../attention.ts';
import type { Draft } from '../drafts.ts';
import { useGate } from '../gate.ts';
import { links } from '../links.ts';
import { isAtRoute, isAtStop, isOfIncidents, keptCause, parkedCause } from '../model/causes.ts';
import { may } from '../session.ts';
import { itemText } from '../words/cause-sentences.ts';
import { atTime } from '../words/times.ts';
import { t } from '../words/words.ts';
import { DraftField } from './draft-field.tsx';
import { FaultNote } from './fault-note.tsx';
import { FirstNote } from './first-note.tsx';
import { Moment } from './moment.tsx';
import { SendButton } from './send-button.tsx';

/** An act on a whole cause that this page has sent. */
export interface Finished {
  readonly cause: string;
  readonly act: 'retry' | 'skip';
  readonly count: number;
}

interface CauseEntriesProps {
  readonly cause: Cause;
  readonly draft: Draft;
  /** `entries`, or the form of an act on all of them. */
  readonly mode: string;
  readonly onFinished: (finished: Finished) => void;
}

/** The oldest entries of a cause, the way to all of them, and an act on all of them (B8). */
export function CauseEntries({ cause, draft, mode, onFinished }: CauseEntriesProps) {
  const all = listOf(cause);
  const isRepeated = cause.items.every(({ text }) => text === cause.message);
  const isParked = cause.kind === 'parked' && may('repair');
  return (
    <div className="cause-items">
      <table className="tbl">
        <caption className="sr">{t('entries.caption')}</caption>
        <tbody>
          {cause.items.map((item) => (
            <tr key={item.id}>
              <td>
                <Entry cause={cause} item={item} />
              </td>
              <td>{item.employee}</td>
              <td>{isRepeated ? '' : item.text}</td>
              <td className="num">
                <Moment at={item.at} of={item} inRow />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {mode === 'retry' || mode === 'skip' ? (
        <BulkForm key={mode} cause={cause} draft={draft} act={mode} onFinished={onFinished} />
      ) : (
        <p className="cause-acts">
          {all !== undefined && cause.count > cause.items.length && (
            <a className="btn btn-link" href={all}>
              {t('entries.all', { n: cause.count })}
            </a>
          )}
          {isParked && (
            <>
              <button className="btn btn-link" type="button" onClick={() => draft.change('mode', 'retry')}>
                {t('entries.retry')}
              </button>
              <button className="btn btn-link" type="button" onClick={() => draft.change('mode', 'skip')}>
                {t('entries.skip')}
              </button>
            </>
          )}
        </p>
      )}
    </div>
  );
}

function BulkForm({ cause, draft, act, onFinished }: Omit<CauseEntriesProps, 'mode'> & Pick<Finished, 'act'>) {
  const retry = useAct('retryParkedCause');
  const gate = useGate();
  const skip = useAct('skipParkedCause', gate);
  const [first, setFirst] = useState<DataOf<'skipParkedCause'>['first']>(null);
  const reason = draft.fields['reason'] ?? '';
  const { isOff, fault } = act === 'retry' ? retry : skip;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (reason.trim() === '') return;
    const body = { cause: parkedCause(cause), reason: reason.trim() };
    const done = await (act === 'retry'
      ? retry.run({ body: { ...body, state: 'open' } })
      : skip.run({ body: { ...body, seen: gate.seen } }));
    if (!done) return;
    setFirst(done.first);
    if (done.first) return;
    onFinished({ cause: cause.cause, act, count: done.count });
    draft.clear();
  };
  return (
    <form className="panel-body" noValidate onSubmit={(event) => void submit(event)}>
      <FaultNote fault={fault} />
      <FirstNote gate={gate} />
      {first && (
        <Banner icon="person" role="status">
          <p>{t('bulk.first', { by: first.by, time: atTime(Date.parse(first.at)) })}</p>
        </Banner>
      )}
      <p className="small">{t(act === 'retry' ? 'bulk.retryMore' : 'bulk.skipMore')}</p>
      <div className="form-row auto">
        <DraftField label={t(act === 'retry' ? 'bulk.retryWhy' : 'bulk.skipWhy')} draft={draft} name="reason" />
        <SendButton
          tone={act === 'retry' ? 'go' : 'bad'}
          icon={act === 'retry' ? 'retry' : 'x'}
          missing={reason.trim() === '' ? t('app.noReason') : ''}
          isOff={isOff}
        >
          {t(act === 'retry' ? 'bulk.retry' : 'bulk.skip', { n: cause.count })}
        </SendButton>
      </div>
    </form>
  );
}

/** An entry by its place, with the way to its page. */
function Entry({ cause, item }: { readonly cause: Cause; readonly item: CauseItem }) {
  const to = entryPage(cause, item);
  const text = itemText(item) || item.id;
  return to === undefined ? (
    text
  ) : (
    <a className="cell" href={to} data-row="">
      <span>{text}</span>
    </a>
  );
}

function entryPage(cause: Cause, item: CauseItem): string | undefined {
  if (isOfIncidents(cause)) return links.incident(item.id);
  if (cause.kind === 'parked') return links.repair(item.id);
  if (cause.kind === 'quarantine') return links.kept(item.id);
  if (cause.kind === 'silent_phone') return links.phone(item.id);
  if (cause.kind === 'hold') return links.host;
  if (isAtStop(item)) return links.history(item);
  return isAtRoute(item) ? links.route(item) : undefined;
}

/** The page with all entries of a cause. */
function listOf(cause: Cause): string | undefined {
  if (isOfIncidents(cause)) return withFilters(links.incidents, { kind: cause.code ?? '' });
  if (cause.kind === 'parked') return withFilters(links.parked, { cause: parkedCause(cause) });
  if (cause.kind === 'quarantine') return withFilters(links.quarantine, keptCause(cause));
  if (cause.kind === 'silent_phone') return withFilters(links.phones, { state: 'silent' });
  if (cause.kind === 'flag') return withFilters(links.flags, { code: cause.code ?? '' });
  return cause.kind === 'hold' ? links.host : undefined;
}
