import type { FormEvent } from 'react';
import { useAct } from '../act.ts';
import { useDraft } from '../drafts.ts';
import type { Gate } from '../gate.ts';
import type { ParkedRow } from '../model/parked-list.ts';
import { t } from '../words/words.ts';
import { DraftField } from './draft-field.tsx';
import { FaultNote } from './fault-note.tsx';
import { SendButton } from './send-button.tsx';

interface SkipParkedProps {
  readonly row: ParkedRow;
  readonly gate: Gate;
  readonly onClose: () => void;
}

/** The host does without the row, for a reason. */
export function SkipParked({ row, gate, onClose }: SkipParkedProps) {
  const skip = useAct('skipParked', gate);
  const draft = useDraft(`skip/${row.parked_id}`);
  const reason = draft.fields['reason'] ?? '';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (reason.trim() === '') return;
    const body = { reason: reason.trim(), seen: gate.seen };
    const done = await skip.run({ params: { parked_id: row.parked_id }, body });
    if (!done) return;
    draft.clear();
    onClose();
  };
  return (
    <form className="panel panel-body" noValidate onSubmit={(event) => void submit(event)}>
      <FaultNote fault={skip.fault} />
      <div className="form-row auto">
        <DraftField label={t('repair.skipWhy')} draft={draft} name="reason" />
        <SendButton tone="bad" missing={reason.trim() === '' ? t('app.noReason') : ''} isOff={skip.isOff}>
          {t('repair.skipAct')}
        </SendButton>
      </div>
    </form>
  );
}
