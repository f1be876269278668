import type { FormEvent } from 'react';
import { useState } from 'react';
import { Banner } from '../../ui/parts/chip.tsx';
import { useAct } from '../act.ts';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import { useDraft } from '../drafts.ts';
import { useGate } from '../gate.ts';
import type { RouteKey, StopKey } from '../links.ts';
import { instantOf } from '../model/local-time.ts';
import { may } from '../session.ts';
import { firstText } from '../words/faults.ts';
import { t } from '../words/words.ts';
import { DraftField } from './draft-field.tsx';
import { FaultNote } from './fault-note.tsx';
import { FirstNote } from './first-note.tsx';
import { Moment } from './moment.tsx';
import { NeedsRole } from './needs-role.tsx';
import { OpenPanel } from './open-panel.tsx';
import { SendButton } from './send-button.tsx';

type Hold = DataOf<'listLegalHolds'>[number];

interface PlaceProps {
  readonly place: RouteKey | StopKey;
}

const scopeOf = (place: RouteKey | StopKey) => ({
  facility: place.facility,
  route_id: place.route_id,
  week_end: place.week_end,
  ...('stop_id' in place && { stop_id: place.stop_id }),
});

/** The legal holds that cover a stop or a route, and the form for one more. */
export function LegalHolds({ place }: PlaceProps) {
  const [isOpen, setOpen] = useState(false);
  const { data: holds, fault } = useRead('listLegalHolds', { query: scopeOf(place) });
  // A hold of this page leaves the list when another operator releases it. Its note and a typed text stay.
  const [shown, setShown] = useState<readonly Hold[]>([]);
  const rows = withLeft(holds ?? [], shown);
  if (rows.some((hold) => !shown.includes(hold))) setShown(rows);
  return (
    <OpenPanel title={t('law.title')} icon="pause" act={t('law.open')} isOpen={isOpen} onToggle={setOpen}>
      <FaultNote fault={fault} />
      {isOpen && <PlaceHold place={place} onPlaced={() => setOpen(false)} />}
      <ul className="panel-body">
        {holds?.length === 0 && <li className="small">{t('law.none')}</li>}
        {rows.map((hold) => (
          <Placed key={hold.legal_hold_id} hold={hold} place={place} isOver={holds?.every(isOther(hold)) ?? false} />
        ))}
      </ul>
    </OpenPanel>
  );
}

const isOther =
  ({ legal_hold_id: id }: Hold) =>
  ({ legal_hold_id }: Hold): boolean =>
    legal_hold_id !== id;

/** The holds in force, then those that were shown before. */
const withLeft = (holds: readonly Hold[], shown: readonly Hold[]): readonly Hold[] => [
  ...holds,
  ...shown.filter((hold) => holds.every(isOther(hold))),
];

function PlaceHold({ place, onPlaced }: PlaceProps & { readonly onPlaced: () => void }) {
  const act = useAct('placeLegalHold');
  const scope = scopeOf(place);
  const draft = useDraft(`legal-hold/${Object.values(scope).join('/')}`);
  const { reason = '', until = '' } = draft.fields;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (reason.trim() === '') return;
    const body = { scope, reason: reason.trim(), ...(until !== '' && { until: instantOf(until) }) };
    if (!(await act.run({ body }))) return;
    draft.clear();
    onPlaced();
  };
  return (
    <form className="panel-body" noValidate onSubmit={(event) => void submit(event)}>
      <p className="small">{t('law.about')}</p>
      <FaultNote fault={act.fault} />
      <NeedsRole role="repair" />
      {may('repair') && (
        <>
          <DraftField label={t('law.reason')} draft={draft} name="reason" />
          <DraftField label={t('law.until')} draft={draft} name="until" type="datetime-local" />
          <SendButton tone="go" icon="pause" missing={reason.trim() === '' ? t('law.noReason') : ''} isOff={act.isOff}>
            {t('law.act')}
          </SendButton>
        </>
      )}
    </form>
  );
}

function scopeWords({ stop_id, customer }: Hold): string {
  if (customer !== null) return t('law.ofCustomer', { customer });
  return stop_id === null ? t('law.ofRoute') : t('law.ofStop', { stop: stop_id });
}

interface PlacedProps extends PlaceProps {
  readonly hold: Hold;
  /** It is in force no longer. */
  readonly isOver: boolean;
}

function Placed({ hold, place, isOver }: PlacedProps) {
  const { legal_hold_id, reason, placed_at, placed_by: by, until } = hold;
  const gate = useGate();
  const release = useAct('releaseLegalHold', gate);
  const draft = useDraft(`legal-hold/${legal_hold_id}/release`);
  const { why = '' } = draft.fields;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (why.trim() === '') return;
    const body = { reason: why.trim(), seen: gate.seen };
    if (await release.run({ params: { legal_hold_id }, body })) draft.clear();
  };
  if (isOver && why === '' && !gate.first) return null;
  return (
    <li>
      <p>
        <strong>{reason}</strong>
      </p>
      <p className="small">
        {scopeWords(hold)} · {t('law.by', { by })} <Moment at={placed_at} of={place} form="exact" />
        {until !== null && (
          <>
            {' '}
            · {t('law.ends')} <Moment at={until} of={place} form="exact" />
          </>
        )}
      </p>
      {isOver && <p className="small">{t('law.over')}</p>}
      <FaultNote fault={release.fault} />
      {isOver && gate.first ? (
        <Banner icon="person" tone="warn" role="alert">
          <p>
            <strong>{firstText(gate.first)}</strong>
          </p>
        </Banner>
      ) : (
        <FirstNote gate={gate} />
      )}
      {may('admin') && (
        <form className="form-row auto" noValidate onSubmit={(event) => void submit(event)}>
          <DraftField label={t('law.why')} draft={draft} name="why" />
          <SendButton tone="bad" missing={why.trim() === '' ? t('law.noReason') : ''} isOff={release.isOff}>
            {t('law.release')}
          </SendButton>
        </form>
      )}
    </li>
  );
}
